import { type Scope, SCOPES, scopesOf } from '../../auth/scopes.js';

/** No tool of the MCP server needs them, so no client can ask for them (decision 0093). */
const NEVER = scopesOf([
  'keys:write',
  'orgs:write',
  'orgs:members',
  'billing:write',
  'projects:delete',
  'databases:admin',
]);

/** What an OAuth client can be granted. */
export const GRANTABLE_SCOPES: readonly Scope[] = SCOPES.filter((scope) => !NEVER.has(scope));

/** What a client asks for that names no scope, and what a page has ticked. */
export const READING_SCOPES: readonly Scope[] = GRANTABLE_SCOPES.filter((scope) => scope.endsWith(':read'));

/** Returns the grantable scopes among the words of a request, or the reading ones if it names none of them. */
export function requestedScopesOf(text: string | undefined): readonly Scope[] {
  const words = new Set((text ?? '').split(' '));
  const known = GRANTABLE_SCOPES.filter((scope) => words.has(scope));
  return known.length === 0 ? READING_SCOPES : known;
}
