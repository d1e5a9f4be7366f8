import type { Request, Response } from 'express';

/**
 * What a failure must still carry in its headers, decided by who owns those headers. A failure can come before the
 * guards have run, so that the headers of a success cannot be counted on.
 */
export abstract class FailureHeaders {
  /** Must not throw: it is called while an error is being answered. */
  abstract complete(request: Request, response: Response, status: number): Promise<void>;
}
