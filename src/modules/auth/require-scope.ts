import { Reflector } from '@nestjs/core';
import type { Scope } from './scopes.js';

interface ScopeRule {
  readonly scope: Scope | undefined;
  /**
   * Where the right must be held. `call`: in the organization of the call. `resource`: in the organization of a
   * resource that only the service knows, which asks `Principal.require` itself; the guard asks the key alone.
   */
  readonly in: 'call' | 'resource';
}

const Rule = Reflector.createDecorator<ScopeRule>();

/** The route needs a caller with this scope (service document §5). */
export const RequireScope = Object.assign(
  (scope: Scope, { in: place = 'call' }: { in?: ScopeRule['in'] } = {}) => Rule({ scope, in: place }),
  { KEY: Rule.KEY },
);

/** The route needs a caller, and no scope: what it shows is the caller's own. */
export const RequireCaller = (): ReturnType<typeof Rule> => Rule({ scope: undefined, in: 'call' });

/**
 * The route takes a session token as well as, or instead of, an API key. Everywhere else a session token is refused
 * with 401 (service document §5).
 */
export const TakesSession = Reflector.createDecorator<SessionRule>();

/**
 * The route takes an API key as the password of HTTP Basic too, with any name of a user: programs as git know no other
 * way.
 */
export const TakesPassword = Reflector.createDecorator<undefined, true>({ transform: () => true });

/** `never` is what a route means that says nothing; it is said where the other routes of a controller differ. */
export type SessionRule = 'or_key' | 'only' | 'never';

export type { ScopeRule };
