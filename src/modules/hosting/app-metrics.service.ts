import { Injectable } from '@nestjs/common';
import { quantileMs } from './metrics/durations.js';
import { type AppMetricsRequest, AppMetricsStore } from './persistence/app-metrics.store.js';

export type { AppMetricsRequest };

/** What happened to deploys in one step of time. */
export interface AppMetricsPoint {
  readonly at: Date;
  readonly requests: number;
  /** Answers with a status of 500 or above. */
  readonly errors: number;
  /** Estimated times from a request to the end of its answer; null without requests. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  /** What was sent to visitors, heads included. */
  readonly bytes: number;
  /** How often a server ended by itself. */
  readonly restarts: number;
  /** The most memory that a server has used since it was started; 0 without a server. */
  readonly memoryPeakBytes: number;
}

/** Reads the metrics of deploys. They are kept for seven days, and arrive within about ten seconds. */
@Injectable()
export class AppMetricsService {
  constructor(private readonly store: AppMetricsStore) {}

  /** Returns the steps in which something happened, in order. */
  async read(request: AppMetricsRequest): Promise<AppMetricsPoint[]> {
    const steps = await this.store.read(request);
    return steps.map(({ durations, ...counts }) => ({
      ...counts,
      p50Ms: quantileMs(durations, 0.5),
      p95Ms: quantileMs(durations, 0.95),
    }));
  }
}
