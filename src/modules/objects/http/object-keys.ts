import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { InvalidKey } from '../objects.errors.js';

const BEFORE_KEY = /^\/api\/v1\/storage\/buckets\/[^/]+\/objects\//;

/**
 * The key of an object in a path, exactly as it was sent: a router would lose `//` and slashes that are encoded.
 *
 * @throws {InvalidKey} `invalid_key`
 */
export const ObjectKey = createParamDecorator((_: unknown, context: ExecutionContext): string =>
  keyOfPath(context.switchToHttp().getRequest<Request>().originalUrl),
);

/** A request for the bytes of an object. */
export interface ObjectRequest {
  readonly key: string;
  readonly request: Request;
}

/** What a handler needs that sends bytes. @throws {InvalidKey} `invalid_key` */
export const Exchange = createParamDecorator((_: unknown, context: ExecutionContext): ObjectRequest => {
  const request = context.switchToHttp().getRequest<Request>();
  return { key: keyOfPath(request.originalUrl), request };
});

/** Returns the key in a target such as `/api/v1/storage/buckets/bkt_…/objects/a%2Fb?c`. */
function keyOfPath(target: string): string {
  const end = target.indexOf('?');
  const path = end === -1 ? target : target.slice(0, end);
  try {
    return decodeURIComponent(path.replace(BEFORE_KEY, ''));
  } catch {
    throw new InvalidKey('it is not encoded UTF-8');
  }
}
