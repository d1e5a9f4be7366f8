import { Reflector } from '@nestjs/core';
import type { Scope } from './scopes.js';

interface ScopeRule {
  readonly scope: Scope | undefined;
  /**
   * Where the scope is required. `call` means the organization of the call. `resource` means the organization of a
   * resource that only the service knows: the service calls `Principal.require`, and the guard checks only the key.
   */
  readonly in: 'call' | 'resource';
}

const Rule = Reflector.createDecorator<ScopeRule>();

/** The route requires a caller with this scope (service document §5). */
export const RequireScope = Object.assign(
  (scope: Scope, { in: place = 'call' }: { in?: ScopeRule['in'] } = {}) => Rule({ scope, in: place }),
  { KEY: Rule.KEY },
);

/** The route requires a caller but no scope, because it returns only the caller's own data. */
export const RequireCaller = (): ReturnType<typeof Rule> => Rule({ scope: undefined, in: 'call' });

/**
 * The route takes a session token as well as, or instead of, an API key. Everywhere else a session token is refused
 * with 401 (service document §5). A session in a cookie opens every route that does not declare `never`.
 */
export const TakesSession = Reflector.createDecorator<SessionRule>();

/**
 * The route also takes an API key as the password of HTTP Basic, with any username, because programs such as git
 * support nothing else.
 */
export const TakesPassword = Reflector.createDecorator<undefined, true>({ transform: () => true });

/**
 * The route also takes access tokens of OAuth that were issued for it. Everywhere else they are refused, so that a
 * client can do no more than the tools that the route offers.
 */
export const TakesAccessToken = Reflector.createDecorator<undefined, true>({ transform: () => true });

/**
 * Without a rule, a route takes keys and sessions in cookies. `never` also refuses those. `only` takes sessions alone,
 * and `only_token` only those whose token is sent as one, and not in a cookie.
 */
export type SessionRule = 'or_key' | 'only' | 'only_token' | 'never';

/** True when the rule leaves no way in for an API key. */
export const takesOnlySessions = (rule: SessionRule | undefined): boolean => rule === 'only' || rule === 'only_token';

export type { ScopeRule };
