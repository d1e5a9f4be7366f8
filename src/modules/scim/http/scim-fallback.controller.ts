import { All, Req } from '@nestjs/common';
import type { Request } from 'express';
import { notSupported, ScimRefusal } from '../domain/scim-refusal.js';
import { ScimRoute } from './scim-route.js';

/** Parts of RFC 7644 that a service may leave out. */
const UNSUPPORTED: readonly (readonly [RegExp, string])[] = [
  [/\/Me(\/|$)/, '/Me'],
  [/\/Bulk$/, 'Bulk'],
  [/\/\.search$/, 'Search by POST'],
];

/** Answers what no other route does, in the form of SCIM. */
@ScimRoute()
export class ScimFallbackController {
  @All()
  root(): never {
    throw new ScimRefusal(404, 'There is no such endpoint. See /ResourceTypes.');
  }

  @All('*path')
  other(@Req() { path }: Request): never {
    const unsupported = UNSUPPORTED.find(([pattern]) => pattern.test(path));
    if (unsupported !== undefined) throw notSupported(unsupported[1]);
    throw new ScimRefusal(404, 'There is no such endpoint for this method. See /ResourceTypes.');
  }
}
