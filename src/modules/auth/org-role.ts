import { type Scope, SCOPES, scopesOf } from './scopes.js';

/** The roles of members, from the highest to the lowest. */
export const ORG_ROLES = ['owner', 'admin', 'member', 'viewer'] as const;
export type OrgRole = (typeof ORG_ROLES)[number];

const ALL = scopesOf(['*']);

function without(...patterns: string[]): ReadonlySet<Scope> {
  const excluded = scopesOf(patterns);
  return new Set(SCOPES.filter((scope) => !excluded.has(scope)));
}

/**
 * The scopes that a role allows at most. Actions that only an owner can do beyond that, such as deleting the
 * organization, check the role itself.
 */
export const SCOPES_OF_ROLE: Readonly<Record<OrgRole, ReadonlySet<Scope>>> = {
  owner: ALL,
  admin: ALL,
  member: without('billing:*', 'orgs:write', 'orgs:members', 'databases:admin', 'audit:read'),
  viewer: new Set(
    SCOPES.filter((scope) => scope.endsWith(':read') && !['billing:read', 'audit:read', 'keys:read'].includes(scope)),
  ),
};

/** True when a member with the role `one` can grant or revoke the role `other`: it must not be higher. */
export const isAtLeast = (one: OrgRole, other: OrgRole): boolean => ORG_ROLES.indexOf(one) <= ORG_ROLES.indexOf(other);
