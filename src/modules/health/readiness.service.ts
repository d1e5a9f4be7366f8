import { Injectable, ServiceUnavailableException } from '@nestjs/common';
import { HealthCheckService, type HealthCheckResult } from '@nestjs/terminus';
import { Shutdown } from '../../platform/lifecycle/shutdown.js';
import { Clock } from '../../platform/time/clock.js';
import { PartChecks } from './parts/part-checks.js';

/** Probes of several load balancers must not become load on the database. */
const CACHE_MS = 500;

/** The status of each part, `up`, `degraded` or `down`, with a reason that is safe to show to anyone. */
export type PartStates = Readonly<Record<string, { readonly status: string } & Readonly<Record<string, unknown>>>>;

/** Reports whether this process can serve, part by part (service document §4). It names no hosts, ports or causes. */
@Injectable()
export class ReadinessService {
  private cached: { readonly result: Promise<HealthCheckResult>; readonly untilMs: number } | undefined;

  constructor(
    private readonly health: HealthCheckService,
    private readonly partChecks: PartChecks,
    private readonly shutdown: Shutdown,
    private readonly clock: Clock,
  ) {}

  /** @throws {ServiceUnavailableException} of Terminus, whose body is the answer, when a part is down. */
  async check(): Promise<HealthCheckResult> {
    if (this.shutdown.isDraining) return { status: 'shutting_down', details: {} };

    const nowMs = this.clock.now().getTime();
    if (this.cached === undefined || this.cached.untilMs <= nowMs) {
      this.cached = { result: this.health.check(this.partChecks.list()), untilMs: nowMs + CACHE_MS };
    }
    return this.cached.result;
  }

  /** Returns the parts by name, whether or not this process can serve. */
  async parts(): Promise<{ readonly isReady: boolean; readonly parts: PartStates }> {
    try {
      const { status, details } = await this.check();
      return { isReady: status !== 'shutting_down', parts: details };
    } catch (thrown) {
      if (!(thrown instanceof ServiceUnavailableException)) throw thrown;
      return { isReady: false, parts: (thrown.getResponse() as HealthCheckResult).details };
    }
  }
}
