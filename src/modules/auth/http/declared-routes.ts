import { Injectable, RequestMethod } from '@nestjs/common';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { ModulesContainer, Reflector } from '@nestjs/core';
import { RequireFeature } from '../../features/require-feature.js';
import { type DeclaredRoute, RouteDirectory } from '../route-directory.js';
import { type OperatorSurface, RequireOperatorToken } from '../../operators/require-operator-token.js';
import { RequireVerifiedEmail } from '../require-verified-email.js';
import { RequireScope, type ScopeRule, type SessionRule, TakesSession } from '../require-scope.js';

const PATH = 'path';
const METHOD = 'method';
/** The metadata key of `@ApiOperation`. */
const OPERATION = 'swagger/apiOperation';
/** The metadata key of the parameters of a handler, such as `@Body()`. The entries are `<kind>:<index>`. */
const PARAMETERS = '__routeArguments__';
/** The metadata key of described parameters, such as `@ApiBody()`. */
const DESCRIBED = 'swagger/apiParameters';
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

  /** The list is read on the first call, when all controllers are known. */
  list(): readonly DeclaredRoute[] {
    this.routes ??= [...this.modules.values()]
      .flatMap((module) => [...module.controllers.values()])
      .flatMap(({ metatype }) => this.routesOf(metatype as new () => object));
    return this.routes;
  }

  find(method: string, path: string): DeclaredRoute | undefined {
    const parts = partsOf(path.split('?')[0]!);
    // A literal segment matches before a parameter: `/keys/current` is not `/keys/:key_id`.
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
          path: `/${places.toReversed().map(pathOf).flatMap(partsOf).join('/')}`,
          rule: this.reflector.getAllAndOverride<ScopeRule | undefined>(RequireScope.KEY, places),
          needsVerifiedEmail:
            this.reflector.getAllAndOverride<true | undefined>(RequireVerifiedEmail.KEY, places) === true,
          flag: this.reflector.getAllAndOverride<DeclaredRoute['flag']>(RequireFeature.KEY, places),
          surface: this.reflector.getAllAndOverride<OperatorSurface | undefined>(RequireOperatorToken.KEY, places),
          takesBody: declaresBody(controller, name) || describesBody(handler),
          summary: (Reflect.getMetadata(OPERATION, handler) as { summary?: string } | undefined)?.summary,
          sessions: this.reflector.getAllAndOverride<SessionRule | undefined>(TakesSession.KEY, places),
        };
      });
  }
}

const declaresBody = (controller: new () => object, name: string): boolean =>
  Object.keys((Reflect.getMetadata(PARAMETERS, controller, name) as object | undefined) ?? {}).some((key) =>
    BODY.test(key),
  );

/** A body that is passed on as it came is described by `@ApiBody` alone. One with a schema of its own is no JSON. */
const describesBody = (handler: Handler): boolean =>
  (
    (Reflect.getMetadata(DESCRIBED, handler) as { readonly in: string; readonly schema?: object }[] | undefined) ?? []
  ).some((parameter) => parameter.in === 'body' && parameter.schema === undefined);

const pathOf = (target: object): string => Reflect.getMetadata(PATH, target) as string;

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '');

const matches = (template: readonly string[], path: readonly string[]): boolean =>
  template.length === path.length && template.every((part, index) => part.startsWith(':') || part === path[index]);
