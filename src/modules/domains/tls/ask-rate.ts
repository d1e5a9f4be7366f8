const A_SECOND = 50;
const AT_ONCE = 200;

/** Bounds how many questions reach the database: 200 at once, and 50 a second. */
export class AskRate {
  private left = AT_ONCE;
  private refilledAtMs: number;

  constructor(private readonly nowMs: () => number = () => performance.now()) {
    this.refilledAtMs = nowMs();
  }

  /** Returns false when there were too many questions. */
  take(): boolean {
    const nowMs = this.nowMs();
    this.left = Math.min(AT_ONCE, this.left + ((nowMs - this.refilledAtMs) / 1_000) * A_SECOND);
    this.refilledAtMs = nowMs;
    if (this.left < 1) return false;
    this.left--;
    return true;
  }
}
