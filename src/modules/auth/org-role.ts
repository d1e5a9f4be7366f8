import { type Scope, SCOPES, scopesOf } from './scopes.js';

/** What a member of an organization is, from the most to the least that it may do. */
export const ORG_ROLES = ['owner', 'admin', 'member', 'viewer'] as const;
export type OrgRole = (typeof ORG_ROLES)[number];

const ALL = scopesOf(['*']);

function without(...patterns: string[]): ReadonlySet<Scope> {
  const excluded = scopesOf(patterns);
  return new Set(SCOPES.filter((scope) => !excluded.has(scope)));
}

/**
 * The most that a member may do, whatever its key says. What only an owner may do beyond that, deleting the
 * organization or handing it over, is asked of the role itself.
 */
export const SCOPES_OF_ROLE: Readonly<Record<OrgRole, ReadonlySet<Scope>>> = {
  owner: ALL,
  admin: ALL,
  member: without('billing:*', 'orgs:write', 'orgs:members', 'databases:admin', 'audit:read'),
  viewer: new Set(
    SCOPES.filter((scope) => scope.endsWith(':read') && !['billing:read', 'audit:read', 'keys:read'].includes(scope)),
  ),
};

/** Whether somebody of role `one` may give or take the role `other`: nobody lifts another above itself. */
export const isAtLeast = (one: OrgRole, other: OrgRole): boolean => ORG_ROLES.indexOf(one) <= ORG_ROLES.indexOf(other);
