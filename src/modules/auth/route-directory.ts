import type { OperatorSurface } from '../operators/require-operator-token.js';
import type { RequireFeature } from '../features/require-feature.js';
import type { ScopeRule, SessionRule } from './require-scope.js';

/** An endpoint and what it requires of its callers. */
export interface DeclaredRoute {
  readonly method: string;
  /** The template of the path, such as `/api/v1/keys/:key_id`. */
  readonly path: string;
  /** The rule is undefined for public routes and for operator routes. */
  readonly rule: ScopeRule | undefined;
  readonly sessions: SessionRule | undefined;
  /** True when the route requires a verified email address, if the service requires that at all. */
  readonly needsVerifiedEmail: boolean;
  /** The flag without which the route answers `feature_disabled`. */
  readonly flag: Parameters<typeof RequireFeature>[0] | undefined;
  /** The operator surface whose token the route requires. */
  readonly surface: OperatorSurface | undefined;
  /** True when the API reference describes a request body. */
  readonly takesBody: boolean;
  /** The summary in the API reference, or undefined for a route that it leaves out. */
  readonly summary: string | undefined;
}

/** Lists the endpoints. The HTTP layer implements it. */
export abstract class RouteDirectory {
  /** Lists every endpoint, in no particular order. */
  abstract list(): readonly DeclaredRoute[];

  abstract find(method: string, path: string): DeclaredRoute | undefined;
}
