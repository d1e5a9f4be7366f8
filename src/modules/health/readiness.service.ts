import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, ServiceUnavailableException } from '@nestjs/common';
import { HealthCheckService, type HealthCheckResult, type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { DatabaseHealth } from '../../platform/database/database-health.js';
import { Shutdown } from '../../platform/lifecycle/shutdown.js';
import { Queues } from '../../platform/queues/queues.js';
import { RedisConnections } from '../../platform/redis/redis-connections.js';
import { Clock } from '../../platform/time/clock.js';
import { SandboxStatusService } from '../sandbox/sandbox-status.service.js';

const CHECK_TIMEOUT_MS = 1_000;
/** Probes of several balancers must not become load on the database. */
const CACHE_MS = 500;

/** What is known of each part: `up`, `degraded` or `down`, and why in words for anybody. */
export type PartStates = Readonly<Record<string, { readonly status: string } & Readonly<Record<string, unknown>>>>;

/** Whether this process can serve, part by part (service document §4). Nothing in it names hosts, ports or causes. */
@Injectable()
export class ReadinessService {
  private cached: { readonly result: Promise<HealthCheckResult>; readonly untilMs: number } | undefined;

  constructor(
    private readonly checks: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly database: DatabaseHealth,
    private readonly redis: RedisConnections,
    private readonly queues: Queues,
    private readonly sandbox: SandboxStatusService,
    private readonly shutdown: Shutdown,
    private readonly clock: Clock,
  ) {}

  /** @throws {ServiceUnavailableException} of Terminus, whose body is the answer, when a part is down. */
  async check(): Promise<HealthCheckResult> {
    if (this.shutdown.isDraining) return { status: 'shutting_down', details: {} };

    const nowMs = this.clock.now().getTime();
    if (this.cached === undefined || this.cached.untilMs <= nowMs) {
      this.cached = { result: this.checkParts(), untilMs: nowMs + CACHE_MS };
    }
    return this.cached.result;
  }

  /** Each part by name, whether or not this process can serve. */
  async parts(): Promise<{ readonly isReady: boolean; readonly parts: PartStates }> {
    try {
      const { status, details } = await this.check();
      return { isReady: status !== 'shutting_down', parts: details };
    } catch (thrown) {
      if (!(thrown instanceof ServiceUnavailableException)) throw thrown;
      return { isReady: false, parts: (thrown.getResponse() as HealthCheckResult).details };
    }
  }

  private checkParts(): Promise<HealthCheckResult> {
    return this.checks.check([
      () => this.part('database', () => this.database.ping()),
      () => this.part('migrations', () => this.requireMigrations()),
      () => this.part('redis', () => this.redis.producer().ping()),
      () => this.part('queues', () => Promise.all(this.queues.all().map((queue) => queue.getWaitingCount()))),
      () => this.sandboxPart(),
    ]);
  }

  private part(name: string, check: () => Promise<unknown>): Promise<HealthIndicatorResult> {
    const attempt = this.indicators.check(name).attempt(async () => {
      try {
        await check();
      } catch (error) {
        throw error instanceof NotReady ? error : new NotReady('does not answer');
      }
    });
    return Promise.resolve(attempt.withTimeout(CHECK_TIMEOUT_MS));
  }

  private async requireMigrations(): Promise<void> {
    const pending = await this.database.pendingMigrations();
    if (pending.length > 0) throw new NotReady(`${pending.length} not applied`);
  }

  /** The rest of the platform serves without it, so that its absence only degrades. */
  private async sandboxPart(): Promise<HealthIndicatorResult> {
    const indicator = this.indicators.check('sandbox');
    const inTime = sleep(CHECK_TIMEOUT_MS, undefined, { ref: false });
    const status = await Promise.race([this.sandbox.status().catch(() => undefined), inTime]);
    if (status === undefined) return indicator.degraded({ message: 'not known while Redis is away' });
    if (!status.available) return indicator.degraded({ missing: status.missing });
    return indicator.up({ mode: status.mode, workers: status.workers });
  }
}

/** Its message is written for the answer. */
class NotReady extends Error {}
