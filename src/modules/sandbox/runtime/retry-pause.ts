const FIRST_MS = 100;
const LONGEST_MS = 30_000;

/** A pause that doubles with each failure in a row. Failures during a pause count as one. */
export class RetryPause {
  private failures = 0;
  private untilMs = 0;

  leftMs(): number {
    return Math.max(0, this.untilMs - performance.now());
  }

  lengthen(): void {
    if (this.leftMs() > 0) return;
    this.untilMs = performance.now() + Math.min(LONGEST_MS, FIRST_MS * 2 ** this.failures);
    this.failures += 1;
  }

  reset(): void {
    this.failures = 0;
    this.untilMs = 0;
  }
}
