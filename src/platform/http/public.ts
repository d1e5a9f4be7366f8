import { Reflector } from '@nestjs/core';

/** The route answers anybody. A route must say who may call it: one that says nothing answers no one. */
export const Public = Reflector.createDecorator<undefined, true>({ transform: () => true });
