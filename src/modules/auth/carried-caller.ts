import { Reflector } from '@nestjs/core';
import type { AccessGrant } from './access-tokens.js';

/**
 * The caller of a request, for the calls that the request makes inside of the process. They pass the guards as calls
 * with the same credential would.
 */
export class CarriedCaller {
  constructor(
    /** The credential of the outer request: a key, or what an access token stands for. */
    readonly credential: string | AccessGrant,
    /** Id or slug of the only organization that the caller may act in here. */
    readonly onlyOrg: string | undefined,
  ) {}
}

/**
 * The route takes, in this parameter of its query, the id or slug of the only organization that the caller may act in.
 * It narrows what the credential allows, and never widens it.
 */
export const NarrowedToOrg = Reflector.createDecorator<string>();

const CARRIED = Symbol('the caller as further calls carry it');
type Carrier = object & { [CARRIED]?: CarriedCaller };

export function attachCarried(request: object, caller: CarriedCaller): void {
  (request as Carrier)[CARRIED] = caller;
}

/** Undefined for a request without a credential. */
export const carriedCallerOf = (request: object): CarriedCaller | undefined => (request as Carrier)[CARRIED];
