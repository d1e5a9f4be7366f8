/** More traces a second would be a way to fill the operator's store of traces. */
const TRACES_PER_SECOND = 20;

/** Bounds how many traces callers can have recorded by asking for them in `traceparent`. */
export class CallersChoice {
  private second = 0;
  private taken = 0;

  /** Returns true while there is room for one more in this second. */
  take(nowMs = performance.now()): boolean {
    const second = Math.floor(nowMs / 1000);
    if (second !== this.second) {
      this.second = second;
      this.taken = 0;
    }
    return ++this.taken <= TRACES_PER_SECOND;
  }
}
