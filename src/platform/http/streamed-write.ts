import type { Request } from 'express';
import { RequestInvalid } from '../errors/request-invalid.js';

/**
 * Refuses a key for a write whose answer is a stream, because a stream cannot be repeated from the record of a key.
 *
 * @param streamedBy what of the request asks for a stream.
 * @throws {RequestInvalid} `invalid_request`
 */
export function requireNoKey({ headers }: Request, streamedBy: string): void {
  if (headers['idempotency-key'] === undefined) return;
  throw new RequestInvalid([
    {
      path: 'Idempotency-Key',
      in: 'header',
      code: 'not_with_stream',
      message: `Idempotency-Key cannot be used with ${streamedBy}.`,
    },
  ]);
}
