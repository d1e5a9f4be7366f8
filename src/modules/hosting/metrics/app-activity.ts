import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import type { AppMinute } from '../persistence/app-metrics.store.js';
import { bucketOf, DURATION_BUCKETS } from './durations.js';

/** More deploys than this between two writes are not counted, so that the memory is bounded. */
const MAX_DEPLOYS = 10_000;
const MINUTE_MS = 60_000;

/** Counts between two writes. The objects are reused for all requests of a deploy meanwhile. */
interface Tally {
  requests: number;
  errors: number;
  bytes: number;
  restarts: number;
  memoryPeakBytes: number;
  readonly durations: number[];
}

/**
 * Counts what happens to the deploys that this process serves, until {@link take} fetches it for the database. A
 * request costs one look-up and a few additions. Everything counts for the minute in which the last write was.
 */
@Injectable()
export class AppActivity {
  private tallies = new Map<string, Tally>();
  private minute: Date | undefined;

  constructor(private readonly clock: Clock) {}

  answered(
    deployId: string,
    { status, durationMs, bytes }: { status: number; durationMs: number; bytes: number },
  ): void {
    const tally = this.of(deployId);
    if (tally === undefined) return;
    tally.requests++;
    if (status >= 500) tally.errors++;
    tally.bytes += bytes;
    tally.durations[bucketOf(durationMs)]!++;
  }

  restarted(deployId: string, times: number): void {
    const tally = this.of(deployId);
    if (tally !== undefined) tally.restarts += times;
  }

  usedMemory(deployId: string, bytes: number): void {
    const tally = this.of(deployId);
    if (tally !== undefined) tally.memoryPeakBytes = Math.max(tally.memoryPeakBytes, bytes);
  }

  /** Begins to count, and returns the counts since the last call. Nothing is counted before the first call. */
  take(): AppMinute[] {
    const { minute } = this;
    this.minute = new Date(Math.floor(this.clock.now().getTime() / MINUTE_MS) * MINUTE_MS);
    const taken = this.tallies;
    this.tallies = new Map();
    return minute === undefined ? [] : [...taken].map(([deployId, tally]) => ({ deployId, minute, ...tally }));
  }

  private of(deployId: string): Tally | undefined {
    const known = this.tallies.get(deployId);
    if (known !== undefined) return known;
    if (this.minute === undefined || this.tallies.size >= MAX_DEPLOYS) return undefined;
    const tally: Tally = {
      requests: 0,
      errors: 0,
      bytes: 0,
      restarts: 0,
      memoryPeakBytes: 0,
      durations: new Array<number>(DURATION_BUCKETS).fill(0),
    };
    this.tallies.set(deployId, tally);
    return tally;
  }
}
