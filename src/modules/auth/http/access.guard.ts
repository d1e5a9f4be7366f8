import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Public } from '../../../platform/http/public.js';
import { RouteMetadata } from '../../../platform/http/route-metadata.js';
import { RequireOperatorToken } from '../../operators/require-operator-token.js';
import { RequireScope } from '../require-scope.js';

/** Refuses every call of a route that does not declare who can call it. */
@Injectable()
export class AccessGuard implements CanActivate {
  private readonly declarations: readonly RouteMetadata<unknown>[];

  constructor(reflector: Reflector) {
    this.declarations = [Public, RequireOperatorToken, RequireScope].map(
      (decorator) => new RouteMetadata(reflector, decorator),
    );
  }

  canActivate(context: ExecutionContext): boolean {
    if (this.declarations.some((declaration) => declaration.of(context) !== undefined)) return true;
    throw new Error(`${context.getClass().name}.${context.getHandler().name} does not declare who can call it.`);
  }
}
