import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, ServiceUnavailableException } from '@nestjs/common';
import {
  HealthCheckService,
  type HealthCheckResult,
  type HealthIndicatorResult,
  HealthIndicatorService,
} from '@nestjs/terminus';
import { DatabaseHealth } from '../../platform/database/database-health.js';
import { Shutdown } from '../../platform/lifecycle/shutdown.js';
import { SiblingProcesses } from '../../platform/lifecycle/sibling-processes.js';
import { Queues } from '../../platform/queues/queues.js';
import { refusesWrites } from '../../platform/redis/redis-unavailable.js';
import { RedisConnections } from '../../platform/redis/redis-connections.js';
import { StorageRoom } from '../../platform/storage/storage-room.js';
import { Clock } from '../../platform/time/clock.js';
import { SandboxStatusService } from '../sandbox/sandbox-status.service.js';

const CHECK_TIMEOUT_MS = 1_000;
/** Probes of several balancers must not become load on the database. */
const CACHE_MS = 500;
const PROBE_KEY = 'ready:probe';
const PROBE_KEPT_SECONDS = 60;

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
    private readonly siblings: SiblingProcesses,
    private readonly storage: StorageRoom,
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
      () => this.redisPart(),
      () => this.part('queues', () => Promise.all(this.queues.all().map((queue) => queue.getWaitingCount()))),
      () => this.sandboxPart(),
      ...(this.siblings.haveStarted
        ? []
        : [() => this.part('processes', () => Promise.reject(new NotReady('are still starting')))]),
      ...Object.entries(this.siblings.states())
        .filter(([role]) => role !== 'api')
        .map(
          ([role, { isUp }]) =>
            () =>
              this.processPart(role, isUp),
        ),
      () => this.storagePart(),
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

  /**
   * A Redis that reads and takes no writes, as its disk or its memory is full, only degrades: calls go on, counted in
   * each process. All processes share it, so that 503 would leave a balancer nobody to send a reader to.
   */
  private async redisPart(): Promise<HealthIndicatorResult> {
    const write = this.redis.producer().set(PROBE_KEY, '1', 'EX', PROBE_KEPT_SECONDS);
    const refused = write.then(() => false, refusesWrites);
    const inTime = sleep(CHECK_TIMEOUT_MS, false, { ref: false });
    if (await Promise.race([refused, inTime])) return this.indicators.check('redis').degraded('takes no writes');
    return this.part('redis', () => write);
  }

  private async requireMigrations(): Promise<void> {
    const pending = await this.database.pendingMigrations();
    if (pending.length > 0) throw new NotReady(`${pending.length} not applied`);
  }

  /** Of this machine, started by the same supervisor, which starts it again within a second. */
  private processPart(role: string, isUp: boolean): HealthIndicatorResult {
    const indicator = this.indicators.check(role);
    return isUp ? indicator.up() : indicator.degraded({ message: 'is being started again' });
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

  /** Reads go on. */
  private storagePart(): HealthIndicatorResult {
    const indicator = this.indicators.check('storage');
    return this.storage.isLow ? indicator.degraded('the disk is nearly full: writes are refused') : indicator.up();
  }
}

/** Its message is written for the answer. */
class NotReady extends Error {}
