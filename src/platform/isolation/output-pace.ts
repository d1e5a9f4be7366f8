/** How fast a program's output is read. Short bursts are read at once; the rates apply to both streams together. */
export interface OutputPace {
  /** Lines beyond the rate are counted and dropped. */
  readonly linesPerSecond: number;
  readonly burstLines: number;
  /** Bytes beyond the rate stay in the pipe, so that the program has to wait. */
  readonly bytesPerSecond: number;
  readonly burstBytes: number;
  /**
   * What a byte of a dropped line counts, from 0 to 1. Less than 1 keeps a program that must end soon from waiting for
   * lines that nobody receives; one that can print for ever needs 1, because reading costs processor time too.
   */
  readonly costOfDropped: number;
}

/** The default for programs that write much and end: a large install or build stays below it. */
export const ORDINARY_PACE: OutputPace = {
  linesPerSecond: 1_000,
  burstLines: 20_000,
  bytesPerSecond: 2 * 1_048_576,
  burstBytes: 8 * 1_048_576,
  costOfDropped: 1 / 32,
};

/**
 * Units that are refilled at a steady rate, up to a maximum. The balance may become negative, because what was read
 * cannot be returned.
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

  /** Raises the balance to at least `units`. */
  raiseTo(units: number): void {
    this.left = Math.max(this.current(), units);
  }

  has(units: number): boolean {
    return this.current() >= Math.min(units, this.most);
  }

  /** The time until the balance is positive again. */
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
