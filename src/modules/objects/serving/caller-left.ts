import type { ServerResponse } from 'node:http';

/** What streams fail with when the caller ends the connection. */
const CODES: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']);

/**
 * Whether an answer failed because its caller has left, which is no fault of the service. A storage that fails in the
 * middle of an answer closes the connection too, with another code.
 */
export const hasCallerLeft = (error: unknown, { destroyed }: ServerResponse): boolean =>
  destroyed && CODES.has((error as Partial<NodeJS.ErrnoException>).code);
