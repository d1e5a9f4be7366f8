import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/time/clock.js';
import { WorkerReports } from './workers/worker-reports.js';

const CACHE_MS = 1_000;

export type SandboxStatus =
  | {
      readonly available: true;
      readonly mode: string;
      readonly workers: number;
      readonly slots: number;
      readonly averageRunMs: number;
    }
  | { readonly available: false; readonly missing: readonly string[] };

/** Combines the reports of the workers into the state of the sandbox. */
@Injectable()
export class SandboxStatusService {
  private cached: { readonly status: Promise<SandboxStatus>; readonly untilMs: number } | undefined;

  constructor(
    private readonly reports: WorkerReports,
    private readonly clock: Clock,
  ) {}

  /** @throws {Error} when Redis is unavailable, so that the state is unknown. */
  status(): Promise<SandboxStatus> {
    const nowMs = this.clock.now().getTime();
    if (this.cached === undefined || this.cached.untilMs <= nowMs) {
      const status = this.read();
      this.cached = { status, untilMs: nowMs + CACHE_MS };
      // Failures and missing workers are not cached, because a worker may start a moment later.
      const forget = (): void => {
        if (this.cached?.status === status) this.cached = undefined;
      };
      status.then(({ available }) => {
        if (!available) forget();
      }, forget);
    }
    return this.cached.status;
  }

  private async read(): Promise<SandboxStatus> {
    const reports = await this.reports.all();
    const able = reports.flatMap(({ readiness, ...rest }) =>
      readiness.available ? [{ mode: readiness.mode, ...rest }] : [],
    );
    if (able[0] !== undefined) {
      return {
        available: true,
        mode: able[0].mode,
        workers: able.length,
        slots: able.reduce((sum, { slots }) => sum + slots, 0),
        averageRunMs: able.reduce((sum, { averageRunMs }) => sum + averageRunMs, 0) / able.length,
      };
    }

    const missing = new Set(reports.flatMap(({ readiness }) => (readiness.available ? [] : readiness.missing)));
    return { available: false, missing: missing.size > 0 ? [...missing] : ['a running worker'] };
  }
}
