import { Injectable, RequestMethod } from '@nestjs/common';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { ModulesContainer, Reflector } from '@nestjs/core';
import { type DeclaredRoute, RouteDirectory } from '../route-directory.js';
import { type OperatorSurface, RequireOperatorToken } from '../../operators/require-operator-token.js';
import { RequireVerifiedEmail } from '../require-verified-email.js';
import { RequireScope, type ScopeRule, type SessionRule, TakesSession } from '../require-scope.js';

const PATH = 'path';
const METHOD = 'method';
/** Where `@ApiOperation` keeps what it was given. */
const OPERATION = 'swagger/apiOperation';
/** Where `@Body()` and its like keep what a handler takes: `<kind>:<index>`. */
const TAKEN = '__routeArguments__';
const BODY = new RegExp(`^${RouteParamtypes.BODY}:`);

type Handler = (...parameters: unknown[]) => unknown;

/** Reads the endpoints from the controllers, as Nest does. */
@Injectable()
export class DeclaredRoutes extends RouteDirectory {
  private routes: readonly DeclaredRoute[] | undefined;

  constructor(
    private readonly modules: ModulesContainer,
    private readonly reflector: Reflector,
  ) {
    super();
  }

  /** Read the first time that somebody asks, when all controllers are known. */
  list(): readonly DeclaredRoute[] {
    this.routes ??= [...this.modules.values()]
      .flatMap((module) => [...module.controllers.values()])
      .flatMap(({ metatype }) => this.routesOf(metatype as new () => object));
    return this.routes;
  }

  find(method: string, path: string): DeclaredRoute | undefined {
    const parts = partsOf(path.split('?')[0]!);
    // A literal segment is nearer than a parameter: `/keys/current` is not `/keys/:key_id`.
    return this.list()
      .filter((route) => route.method === method.toUpperCase() && matches(partsOf(route.path), parts))
      .sort((one, other) => one.path.split(':').length - other.path.split(':').length)[0];
  }

  private routesOf(controller: new () => object): DeclaredRoute[] {
    const prototype = controller.prototype as Record<string, Handler>;
    return Object.getOwnPropertyNames(prototype)
      .filter((name) => name !== 'constructor' && Reflect.hasMetadata(PATH, prototype[name]!))
      .map((name) => {
        const handler = prototype[name]!;
        const places = [handler, controller];
        return {
          method: RequestMethod[Reflect.getMetadata(METHOD, handler) as RequestMethod],
          path: `/${[Reflect.getMetadata(PATH, controller) as string, Reflect.getMetadata(PATH, handler) as string].flatMap(partsOf).join('/')}`,
          rule: this.reflector.getAllAndOverride<ScopeRule | undefined>(RequireScope.KEY, places),
          needsVerifiedEmail:
            this.reflector.getAllAndOverride<true | undefined>(RequireVerifiedEmail.KEY, places) === true,
          surface: this.reflector.getAllAndOverride<OperatorSurface | undefined>(RequireOperatorToken.KEY, places),
          takesBody: Object.keys((Reflect.getMetadata(TAKEN, controller, name) as object | undefined) ?? {}).some(
            (key) => BODY.test(key),
          ),
          summary: (Reflect.getMetadata(OPERATION, handler) as { summary?: string } | undefined)?.summary,
          sessions: this.reflector.getAllAndOverride<SessionRule | undefined>(TakesSession.KEY, places),
        };
      });
  }
}

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '');

const matches = (template: readonly string[], path: readonly string[]): boolean =>
  template.length === path.length && template.every((part, index) => part.startsWith(':') || part === path[index]);
