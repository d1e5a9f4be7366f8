/** The time of the shared thread that all rules may take together for one request. */
const BUDGET_US = 1_000;
/** What the engine for expressions takes for an instruction of a program and a character, at worst. */
const US_PER_STEP = 0.03;

/** The rules of a deploy would take too long for this request. The visitor gets the page `request_too_complex`. */
export class RequestTooCostly extends Error {
  override readonly name = 'RequestTooCostly';

  constructor() {
    super('The rules of the deploy take too long for this request.');
  }
}

/** The time that matching the rules of a deploy may take for one request. */
export class MatchBudget {
  private leftUs = BUDGET_US;

  /**
   * Runs what takes `steps` at worst, and less as a rule. Work that might not fit is not begun; what was begun is
   * charged by the clock, but never beyond its worst, because the machine may have been busy with something else.
   *
   * @throws {RequestTooCostly} when it might take more than is left.
   */
  run<Result>(steps: number, work: () => Result): Result {
    const worstUs = steps * US_PER_STEP;
    if (worstUs > this.leftUs) throw new RequestTooCostly();
    const start = performance.now();
    const result = work();
    this.leftUs -= Math.min(worstUs, (performance.now() - start) * 1_000);
    return result;
  }
}
