import type { Request } from 'express';
import { RequestInvalid } from '../errors/request-invalid.js';

export const wantsEventStream = ({ headers }: Request): boolean =>
  /(^|[\s,])text\/event-stream\b/i.test(headers.accept ?? '');

/** The last `seq` that the caller has received. @throws {RequestInvalid} `invalid_request` */
export function lastSeqOf({ headers }: Request): number | undefined {
  const value = headers['last-event-id'];
  if (value === undefined || value === '') return undefined;
  if (typeof value === 'string' && /^\d{1,15}$/.test(value)) return Number(value);
  throw new RequestInvalid([
    { path: 'Last-Event-ID', in: 'header', code: 'is_int', message: 'Last-Event-ID must be the seq of a line' },
  ]);
}
