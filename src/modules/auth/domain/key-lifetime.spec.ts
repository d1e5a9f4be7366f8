import { limitOf, outlives } from './key-lifetime.js';

const key = {
  kind: 'personal',
  source: 'api',
  projectId: null,
  orgIds: [],
  createdAt: new Date('2026-01-01T00:00:00Z'),
  expiresAt: null,
} as const;
const acme = { orgId: 'org_a', slug: 'acme', days: 90 };
const labs = { orgId: 'org_b', slug: 'labs', days: 30 };

describe('the limit of a lifetime', () => {
  it('is the shortest of the organizations that the key reaches', () => {
    expect(limitOf(key, [])).toBeUndefined();
    expect(limitOf(key, [acme, labs])).toBe(labs);
    expect(limitOf({ ...key, kind: 'org_bound', orgIds: ['org_a'] }, [labs, acme])).toBe(acme);
    expect(limitOf({ ...key, kind: 'select_orgs', orgIds: ['org_c', 'org_a'] }, [labs, acme])).toBe(acme);
    expect(limitOf({ ...key, kind: 'select_orgs', orgIds: ['org_c'] }, [labs, acme])).toBeUndefined();
  });

  it('does not hold for keys that the service made', () => {
    expect(limitOf({ ...key, source: 'oauth' }, [acme])).toBeUndefined();
    expect(limitOf({ ...key, projectId: 'prj_a' }, [acme])).toBeUndefined();
  });

  it('counts from the creation, to the moment', () => {
    const end = new Date('2026-01-31T00:00:00Z');
    expect(outlives({ ...key, expiresAt: end }, [labs])).toBe(false);
    expect(outlives({ ...key, expiresAt: new Date(end.getTime() + 1) }, [labs])).toBe(true);
    expect(outlives(key, [labs])).toBe(true);
    expect(outlives(key, [])).toBe(false);
  });
});
