import type { Request } from 'express';

/** How a write is done; declared by `@TakesJson()` and `@TakesNothing()`. */
export interface WriteRule {
  /**
   * The handler has effects besides the database, a run of code for one. It cannot be rehearsed by rolling back, so it
   * sees to `Dry-Run` itself, and its answer cannot be committed together with what it did.
   */
  readonly actsOutside: boolean;
}

/** What the API promises of every write, kept by whoever knows the callers: `Idempotency-Key` and `Dry-Run`. */
export abstract class WriteGuarantees {
  /** Whether the request asks for any of it; most do not. */
  abstract areAskedBy(request: Request): boolean;

  /** Answers the request by `handler`, or by what it answered before. */
  abstract answer(request: Request, rule: WriteRule, handler: () => Promise<unknown>): Promise<unknown>;
}
