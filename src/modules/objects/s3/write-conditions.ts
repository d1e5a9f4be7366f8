import type { IncomingMessage } from 'node:http';
import type { WriteConditions } from '../objects/object-conditions.js';
import { S3Error } from './s3-error.js';

/** @throws {S3Error} */
export function writeConditionsOf(headers: IncomingMessage['headers']): WriteConditions {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  if (ifNoneMatch !== undefined && ifNoneMatch.trim() !== '*')
    throw new S3Error('NotImplemented', 'Writes take If-None-Match with * only.');
  return { ifMatch, ifNoneMatch };
}
