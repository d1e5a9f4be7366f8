import type { Request } from 'express';

/** How a write behaves, as `@TakesJson()` and `@TakesNothing()` declare it. */
export interface WriteRule {
  /**
   * True when the handler has effects outside of the database, such as a code run. It cannot be tried and rolled back,
   * so it handles `Dry-Run` itself, and its response cannot be committed together with its effects.
   */
  readonly actsOutside: boolean;
}

/**
 * What the API guarantees for every write: `Idempotency-Key` and `Dry-Run`. A module that knows the callers implements
 * it.
 */
export abstract class WriteGuarantees {
  /** True when the request uses one of them, which most requests do not. */
  abstract areAskedBy(request: Request): boolean;

  /** Answers the request with `handler`, or with an earlier response. */
  abstract answer(request: Request, rule: WriteRule, handler: () => Promise<unknown>): Promise<unknown>;
}
