import { MAX_PARTS } from '../multipart/multipart.service.js';
import type { S3Query } from './s3-call.js';
import { S3Error } from './s3-error.js';

/** @throws {S3Error} */
export function partNumberOf(query: S3Query): number {
  const number = query.integer('partNumber', { min: 1, max: MAX_PARTS });
  if (number === undefined || number > MAX_PARTS)
    throw new S3Error('InvalidArgument', `partNumber must be a number from 1 to ${MAX_PARTS}.`);
  return number;
}
