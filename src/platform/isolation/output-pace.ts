/**
 * How fast what a program writes is taken. Short bursts are taken at once; the rates hold for both streams together.
 */
export interface OutputPace {
  /** Lines beyond the rate are counted and dropped. */
  readonly linesPerSecond: number;
  readonly burstLines: number;
  /** Bytes beyond the rate are left in the pipe, so that the program has to wait with more. */
  readonly bytesPerSecond: number;
  readonly burstBytes: number;
}

/** For programs that say a lot and end: a large install or build has no more. */
export const ORDINARY_PACE: OutputPace = {
  linesPerSecond: 1_000,
  burstLines: 20_000,
  bytesPerSecond: 2 * 1_048_576,
  burstBytes: 8 * 1_048_576,
};

/**
 * Units that come back at a steady rate, up to a most. Taking may go below zero: what was read cannot be given back.
 */
export class Allowance {
  private left: number;
  private atMs = performance.now();

  constructor(
    private readonly perSecond: number,
    private readonly most: number,
  ) {
    this.left = most;
  }

  get isSpent(): boolean {
    return this.current() < 1;
  }

  take(units: number): void {
    this.left = this.current() - units;
  }

  /** At least so many from now on. */
  raiseTo(units: number): void {
    this.left = Math.max(this.current(), units);
  }

  has(units: number): boolean {
    return this.current() >= Math.min(units, this.most);
  }

  /** Until there is something left again. */
  get msUntilLeft(): number {
    return Math.max(0, ((1 - this.current()) / this.perSecond) * 1_000);
  }

  private current(): number {
    const nowMs = performance.now();
    this.left = Math.min(this.most, this.left + ((nowMs - this.atMs) * this.perSecond) / 1_000);
    this.atMs = nowMs;
    return this.left;
  }
}
