import { Injectable } from '@nestjs/common';
import type { LaunchEndCause } from '../../../../platform/isolation/launch-spec.js';
import { HistogramCounts } from '../../../../platform/metrics/histogram-counts.js';

export const WAKE_BUCKETS = [0.025, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 15, 60];

/** What has happened to the clusters of this process, for its metrics. */
@Injectable()
export class ClusterNews {
  readonly wakes = new HistogramCounts(WAKE_BUCKETS);
  private wakeCount = 0;
  private wakeFailures = 0;
  private outOfMemory = 0;

  get wakesTotal(): number {
    return this.wakeCount;
  }

  get wakeFailuresTotal(): number {
    return this.wakeFailures;
  }

  /** How many servers have ended because memory ran out. */
  get oomTotal(): number {
    return this.outOfMemory;
  }

  woke(elapsedMs: number): void {
    this.wakeCount++;
    this.wakes.observe(elapsedMs / 1_000);
  }

  /** A server that was to be woken did not start. */
  wakeFailed(): void {
    this.wakeFailures++;
  }

  crashed(cause: LaunchEndCause): void {
    if (cause === 'memory') this.outOfMemory++;
  }
}
