import type { Request, Response } from 'express';

/**
 * The headers that a failure must still carry, set by the module that owns them. A failure can occur before the guards
 * have run, so the headers of a success may be missing.
 */
export abstract class FailureHeaders {
  /** Must not throw, because it is called while an error is being answered. */
  abstract complete(request: Request, response: Response, status: number): Promise<void>;
}
