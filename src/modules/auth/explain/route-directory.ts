import type { ScopeRule, SessionRule } from '../require-scope.js';

/** An endpoint and what it asks of its callers. */
export interface DeclaredRoute {
  readonly method: string;
  /** The template, `/api/v1/keys/:key_id`. */
  readonly path: string;
  /** Undefined: open to everybody, or to operators. */
  readonly rule: ScopeRule | undefined;
  readonly sessions: SessionRule | undefined;
}

/** Which endpoints there are; known to whoever speaks HTTP. */
export abstract class RouteDirectory {
  abstract find(method: string, path: string): DeclaredRoute | undefined;
}
