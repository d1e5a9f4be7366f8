import { Reflector } from '@nestjs/core';

/**
 * The route accepts unauthenticated callers. Every route must declare who may call it; one that declares nothing always
 * fails.
 */
export const Public = Reflector.createDecorator<undefined, true>({ transform: () => true });
