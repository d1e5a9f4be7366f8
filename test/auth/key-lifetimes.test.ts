import { as, expectStatus, Make, type Org, type Person, send } from '../support/make.js';
import { type Answer, useApp } from '../support/test-app.js';

const DAY_MS = 86_400_000;

describe('organizations with key_lifetime_days', () => {
  const app = useApp({}, 'api');
  const make = new Make(app);
  let ada: Person;
  let org: Org;

  beforeEach(async () => {
    ada = await make.person();
    org = await make.org(ada);
  });

  const limit = async (days: number | null, by: Person | string = ada, to = org.id): Promise<Answer> =>
    send(app, ['PATCH', `/api/v1/orgs/${to}`], { key_lifetime_days: days }, as(by));
  const mint = (body: object = {}, by = ada): Promise<Answer> =>
    app.post('/api/v1/keys', { name: 'ci', ...body }, as(by));
  const keyOf = async (answer: Promise<Answer>): Promise<any> => expectStatus(201, await answer).body.data;
  const codeOf = ({ status, body }: Answer): [number, string] => [status, body?.error?.code];
  const daysOf = ({ created_at, expires_at }: any): number | undefined =>
    expires_at === undefined ? undefined : (Date.parse(expires_at) - Date.parse(created_at)) / DAY_MS;
  const bound = (): object => ({ kind: 'org_bound', org_id: org.id });

  it('are changed by owners and admins, which the audit log has', async () => {
    expect(expectStatus(200, await app.fetch(`/api/v1/orgs/${org.id}`, as(ada))).body.data).not.toHaveProperty(
      'key_lifetime_days',
    );
    expect(expectStatus(200, await limit(90)).body.data).toMatchObject({ key_lifetime_days: 90 });
    const admin = await make.person();
    await make.member(org, admin, 'admin');
    expectStatus(200, await limit(30, admin));
    expectStatus(200, await limit(30));
    expect(expectStatus(200, await limit(null)).body.data).not.toHaveProperty('key_lifetime_days');
    const { data } = expectStatus(200, await app.fetch(`/api/v1/orgs/${org.id}/audit-log`, as(ada))).body;
    const changes = data.filter(({ action }: any) => action === 'org.policy_changed');
    expect(changes.map(({ details }: any) => details.key_lifetime_days)).toEqual([null, 30, 90]);
  });

  it('are changed by nobody else', async () => {
    const [member, outsider] = [await make.person(), await make.person()];
    await make.member(org, member, 'member');
    expect(codeOf(await limit(90, member))).toEqual([403, 'insufficient_scopes']);
    expect(codeOf(await limit(90, outsider))).toEqual([404, 'organization_not_found']);
    expect(codeOf(await limit(90, ada, 'org_00000000000000000000000000'))).toEqual([404, 'organization_not_found']);
    const key = await make.key(ada, { scopes: ['projects:read'] });
    expect(codeOf(await limit(90, key))).toEqual([403, 'insufficient_scopes']);
    expect(codeOf(await send(app, ['PATCH', `/api/v1/orgs/${org.id}`], { key_lifetime_days: 90 }))).toEqual([
      401,
      'missing_api_key',
    ]);
    for (const days of [0, -1, 3_651, 1.5, '90'])
      expect(codeOf(await limit(days as number))).toEqual([400, 'invalid_request']);
  });

  it('give keys without an expiry the longest lifetime, and leave shorter ones as they are', async () => {
    await limit(90);
    expect(daysOf(await keyOf(mint(bound())))).toBe(90);
    expect(daysOf(await keyOf(mint({ kind: 'select_orgs', org_ids: [org.id] })))).toBe(90);
    expect(daysOf(await keyOf(mint()))).toBe(90);
    expect(daysOf(await keyOf(mint({ ...bound(), expires_in_days: 90 })))).toBeCloseTo(90, 2);
    expect(daysOf(await keyOf(mint({ ...bound(), expires_in_days: 7 })))).toBeCloseTo(7, 2);
    await limit(null);
    expect(daysOf(await keyOf(mint(bound())))).toBeUndefined();
  });

  it('refuse keys that ask for a longer lifetime', async () => {
    await limit(30);
    const refused = await mint({ ...bound(), expires_in_days: 31 });
    expect(codeOf(refused)).toEqual([403, 'key_lifetime_exceeded']);
    expect(refused.body.error.details).toEqual({
      organization: org.slug,
      key_lifetime_days: 30,
      latest_expires_at: expect.any(String),
    });
    const at = new Date(Date.now() + 40 * DAY_MS).toISOString();
    expect(codeOf(await mint({ expires_at: at }))).toEqual([403, 'key_lifetime_exceeded']);
    expectStatus(201, await mint({ ...bound(), expires_at: refused.body.error.details.latest_expires_at }));
    // The keys of a key are bounded too.
    const key = await make.key(ada, bound());
    const child = await app.post('/api/v1/keys', { name: 'x', ...bound(), expires_in_days: 365 }, as(key));
    expect(codeOf(child)).toEqual([403, 'key_lifetime_exceeded']);
  });

  it('hold for the keys that reach them alone, and personal keys reach all', async () => {
    const other = await make.org(ada);
    await limit(30);
    await limit(10, ada, other.id);
    expect(daysOf(await keyOf(mint()))).toBe(10);
    expect(daysOf(await keyOf(mint(bound())))).toBe(30);
    expect(daysOf(await keyOf(mint({ kind: 'select_orgs', org_ids: [org.id, other.id] })))).toBe(10);
    expect(daysOf(await keyOf(mint({ kind: 'org_bound', org_id: ada.organization.id })))).toBeUndefined();
    const outsider = await make.person();
    expect(daysOf(await keyOf(mint({}, outsider)))).toBeUndefined();
    expectStatus(200, await limit(5, outsider, outsider.organization.id));
    expect(daysOf(await keyOf(mint({}, outsider)))).toBe(5);
  });

  it('refuse to prolong a key beyond the limit, and accept a shorter lifetime', async () => {
    const forever = await keyOf(mint(bound()));
    await limit(30);
    const limited = await keyOf(mint(bound()));
    const end = (id: string, days: number): Promise<Answer> =>
      send(
        app,
        ['PATCH', `/api/v1/keys/${id}`],
        { expires_at: new Date(Date.now() + days * DAY_MS).toISOString() },
        as(ada),
      );
    expect(codeOf(await end(limited.id, 31))).toEqual([403, 'key_lifetime_exceeded']);
    expectStatus(200, await end(limited.id, 10));
    expectStatus(200, await end(limited.id, 29));
    // One that was made before has an end now, which is late; it comes nearer and moves away no more.
    expect(expectStatus(200, await end(forever.id, 60)).body.data.exceeds_lifetime_policy).toBe(true);
    expect(codeOf(await end(forever.id, 61))).toEqual([403, 'key_lifetime_exceeded']);
    expect(expectStatus(200, await end(forever.id, 20)).body.data).not.toHaveProperty('exceeds_lifetime_policy');
    expectStatus(200, await send(app, ['PATCH', `/api/v1/keys/${limited.id}`], { name: 'renamed' }, as(ada)));
  });

  it('leave existing keys as they are, and mark those that live longer', async () => {
    const [long, short] = [await keyOf(mint(bound())), await keyOf(mint({ ...bound(), expires_in_days: 7 }))];
    const revoked = await keyOf(mint(bound()));
    expectStatus(204, await app.call('DELETE', `/api/v1/keys/${revoked.id}`, as(ada)));
    await limit(30);
    expectStatus(200, await app.fetch('/api/v1/me', as(long.secret as string)));
    const admin = await make.person();
    await make.member(org, admin, 'admin');
    for (const person of [ada, admin]) {
      const { data } = expectStatus(200, await app.fetch('/api/v1/keys', as(person))).body;
      const marked = data.filter((key: any) => key.exceeds_lifetime_policy === true);
      expect(marked.map(({ id }: any) => id)).toEqual([long.id]);
    }
    expect((await app.fetch(`/api/v1/keys/${short.id}`, as(ada))).body.data).not.toHaveProperty(
      'exceeds_lifetime_policy',
    );
    const rotated = expectStatus(200, await app.post(`/api/v1/keys/${long.id}/rotate`, {}, as(ada))).body.data;
    expect(rotated).not.toHaveProperty('expires_at');
  });

  it('do not end the keys that the service makes for projects', async () => {
    // A key that ends may not make one that does not.
    const key = await make.key(ada, bound());
    await limit(1);
    const project = expectStatus(201, await app.post('/api/v1/projects', { name: 'Shop' }, as(key))).body.data;
    expectStatus(200, await send(app, ['PUT', `/api/v1/projects/${project.id}/model-access`], {}, as(key)));
    const { data } = expectStatus(200, await app.fetch('/api/v1/keys', as(ada))).body;
    const ofProject = data.find(({ project_id }: any) => project_id === project.id);
    expect(ofProject).toBeDefined();
    expect(ofProject).not.toHaveProperty('expires_at');
    expect(ofProject).not.toHaveProperty('exceeds_lifetime_policy');
  });
});
