import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Public } from '../../../platform/http/public.js';
import { RequireOperatorToken } from '../require-operator-token.js';

/** Fails closed: a route that does not say who may call it answers no one. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const places = [context.getHandler(), context.getClass()];
    const declarations: unknown[] = [Public, RequireOperatorToken].map((access) => this.reflector.getAllAndOverride<unknown>(access.KEY, places));
    if (declarations.some((declared) => declared !== undefined)) return true;
    throw new Error(`${context.getClass().name}.${context.getHandler().name} does not say who may call it.`);
  }
}
