import { CallBudgetService } from '../../src/modules/limits/call-budget.service.js';
import { as, Make, type Org, type Person } from '../support/make.js';
import { type Answer, useApp } from '../support/test-app.js';

describe('POST /api/v1/auth/explain', () => {
  const app = useApp({}, 'api');
  const make = new Make(app);
  let ada: Person;
  let acme: Org;

  beforeAll(async () => {
    ada = await make.person({ plan: 'pro' });
    acme = await make.org(ada);
  });

  const explain = async (token: string, question: object): Promise<any> => {
    const answer: Answer = await app.post('/api/v1/auth/explain', question, as(token));
    expect(answer.status).toBe(200);
    return answer.body.data;
  };

  it('returns allowed with the route and its scope', async () => {
    expect(await explain(await make.key(ada), { method: 'GET', path: '/api/v1/orgs/acme?x=1' })).toEqual({
      allowed: true,
      route: 'GET /api/v1/orgs/:org_id',
      required_scopes: ['orgs:read'],
      organization: { id: ada.organization.id, slug: ada.organization.slug, role: 'owner', plan: 'pro' },
    });
    expect(await explain(ada.sessionToken, { method: 'POST', path: '/api/v1/sandbox/try' })).toMatchObject({
      allowed: true,
      required_scopes: [],
    });
    // The nearer route wins.
    expect(await explain(await make.key(ada), { method: 'GET', path: '/api/v1/keys/current' })).toMatchObject({
      route: 'GET /api/v1/keys/current',
    });
  });

  it('names the scope that the key lacks', async () => {
    const key = await make.key(ada, { scopes: ['projects:read'] });
    expect(await explain(key, { method: 'POST', path: '/api/v1/keys' })).toMatchObject({
      allowed: false,
      refused_by: 'scope',
      code: 'insufficient_scopes',
      required_scopes: ['keys:write'],
      fix: expect.stringContaining('keys:write'),
    });
  });

  it('names the role that does not allow it', async () => {
    const viewer = await make.person();
    await make.member(acme, viewer, 'viewer');
    expect(
      await explain(viewer.sessionToken, { method: 'PATCH', path: `/api/v1/orgs/${acme.id}`, org: acme.slug }),
    ).toMatchObject({
      allowed: false,
      refused_by: 'role',
      code: 'insufficient_scopes',
      fix: expect.stringContaining('owner'),
    });
  });

  it('reports an organization that the credential cannot reach', async () => {
    const bound = await make.key(ada, { kind: 'org_bound', org_id: acme.id });
    expect(await explain(bound, { method: 'GET', path: '/api/v1/keys', org: ada.organization.slug })).toMatchObject({
      refused_by: 'organization',
      code: 'key_org_mismatch',
    });
    expect(await explain(await make.key(ada), { method: 'GET', path: '/api/v1/keys', org: 'nowhere' })).toMatchObject({
      refused_by: 'organization',
      code: 'org_access_denied',
    });
  });

  it('reports a credential of the wrong kind', async () => {
    expect(await explain(ada.sessionToken, { method: 'GET', path: '/api/v1/keys/current' })).toMatchObject({
      refused_by: 'credential',
      code: 'session_token_not_allowed',
    });
    expect(await explain(await make.key(ada), { method: 'POST', path: '/api/v1/auth/sign-out' })).toMatchObject({
      refused_by: 'credential',
      code: 'session_required',
    });
  });

  it('reports an exhausted call budget', async () => {
    const org = await make.org(ada);
    const budgets = app.get(CallBudgetService);
    const account = {
      key: org.id,
      tier: { name: 'free', callsPerDay: 5_000, callsPerSecond: 20 },
      circles: [],
    } as const;
    const key = await make.key(ada);
    await make.spend(org.id, 5_000);
    expect((await budgets.look(account)).remaining).toBe(0);
    expect(await explain(key, { method: 'GET', path: '/api/v1/keys', org: org.id })).toMatchObject({
      refused_by: 'budget',
      code: 'daily_limit_exceeded',
    });
  });

  it('reports a route that does not exist', async () => {
    expect(await explain(ada.sessionToken, { method: 'GET', path: '/api/v1/nothing' })).toMatchObject({
      allowed: false,
      refused_by: 'route',
      code: 'route_not_found',
    });
  });

  it.each([
    [{}, 'method'],
    [{ method: 'BREW', path: '/' }, 'method'],
    [{ method: 'GET', path: 'api' }, 'path'],
    [{ method: 'GET', path: '/', org: 7 }, 'org'],
  ])('returns 400 for %j', async (question, path) => {
    const answer = await app.post('/api/v1/auth/explain', question, as(ada));
    expect(answer.status).toBe(400);
    expect(answer.body.error.details.map((fault: { path: string }) => fault.path)).toContain(path);
  });
});
