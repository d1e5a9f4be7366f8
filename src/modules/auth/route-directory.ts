import type { OperatorSurface } from '../operators/require-operator-token.js';
import type { ScopeRule, SessionRule } from './require-scope.js';

/** An endpoint and what it asks of its callers. */
export interface DeclaredRoute {
  readonly method: string;
  /** The template, `/api/v1/keys/:key_id`. */
  readonly path: string;
  /** Undefined: open to everybody, or to operators. */
  readonly rule: ScopeRule | undefined;
  readonly sessions: SessionRule | undefined;
  /** Whether the caller's email address must be verified, where the service requires that at all. */
  readonly needsVerifiedEmail: boolean;
  /** Wants the token of this surface. */
  readonly surface: OperatorSurface | undefined;
  /** Whether the API reference describes a body of its requests. */
  readonly takesBody: boolean;
  /** In a sentence; undefined for one that the API reference leaves out. */
  readonly summary: string | undefined;
}

/** Which endpoints there are; known to whoever speaks HTTP. */
export abstract class RouteDirectory {
  /** Every endpoint, in no order. */
  abstract list(): readonly DeclaredRoute[];

  abstract find(method: string, path: string): DeclaredRoute | undefined;
}
