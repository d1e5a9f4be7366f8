import { ORG_ROLES, SCOPES_OF_ROLE, isAtLeast } from './org-role.js';
import { PRESETS, SCOPE_PATTERNS, SCOPES, SCOPES_OF_PRESET, scopesOf } from './scopes.js';

describe('scopes', () => {
  it('are covered by themselves, by all of their resource, and by everything', () => {
    expect([...scopesOf(['deploys:*'])]).toEqual(['deploys:read', 'deploys:write', 'deploys:production']);
    expect([...scopesOf(['*'])]).toEqual(SCOPES);
    expect([...scopesOf(['deploys:read', 'nonsense', 'deploys', ':*', 'dep:*'])]).toEqual(['deploys:read']);
  });

  it.each(PRESETS)('of the preset %s can all be written in a key', (preset) => {
    expect(SCOPE_PATTERNS).toEqual(expect.arrayContaining([...SCOPES_OF_PRESET[preset]]));
    expect(scopesOf(SCOPES_OF_PRESET[preset]).size).toBeGreaterThan(0);
  });
});

describe('roles', () => {
  it('allow less the lower they are', () => {
    for (const [index, role] of ORG_ROLES.slice(1).entries()) {
      const above = SCOPES_OF_ROLE[ORG_ROLES[index]!];
      expect([...SCOPES_OF_ROLE[role]].filter((scope) => !above.has(scope))).toEqual([]);
    }
  });

  it('keep billing, members, audit and administration of databases from members, and all writing from viewers', () => {
    const { member, viewer } = SCOPES_OF_ROLE;
    for (const scope of ['billing:read', 'billing:write', 'orgs:members', 'databases:admin'] as const)
      expect(member.has(scope)).toBe(false);
    for (const scope of ['projects:write', 'keys:write', 'deploys:production'] as const)
      expect(member.has(scope)).toBe(true);
    expect([...viewer].filter((scope) => !scope.endsWith(':read'))).toEqual([]);
    for (const scope of ['billing:read', 'audit:read', 'keys:read'] as const) expect(viewer.has(scope)).toBe(false);
  });

  it('cannot be granted by a lower role', () => {
    expect(isAtLeast('admin', 'owner')).toBe(false);
    expect(isAtLeast('admin', 'admin')).toBe(true);
    expect(isAtLeast('owner', 'viewer')).toBe(true);
  });
});
