import { as, expectStatus, Make, type Person, send, uniqueName } from '../support/make.js';
import { FakeGoogle } from '../support/fake-google.js';
import { FakeSecretScanner } from '../support/fake-secret-scanner.js';
import { mailTo } from '../support/mailbox.js';
import { ScimClient } from '../support/scim.js';
import { type SsoTenant, SsoTenants } from '../support/sso.js';
import { type Answer, randomAddress, type TestApp, useApp } from '../support/test-app.js';

const settings: NodeJS.ProcessEnv = {};
const scanner = FakeSecretScanner.use(settings);
const provider = FakeGoogle.useForSso(settings);
const app = useApp(settings);
const make = new Make(app);
const tenants = new SsoTenants(app, make, provider);

const REFUSED = {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
  status: '401',
  detail: 'The token is missing, unknown, expired or revoked, or belongs to another connection.',
};
const codeOf = ({ status, body }: Answer): [number, string] => [status, body.error?.code];
const tokensPath = ({ org, connectionId }: SsoTenant, rest = ''): string =>
  `/api/v1/orgs/${org.id}/sso/connections/${connectionId}/scim-tokens${rest}`;
const revoke = (tenant: SsoTenant, id: string): Promise<Answer> =>
  app.call('DELETE', tokensPath(tenant, `/${id}`), as(tenant.owner));
const clientOf = (tenant: SsoTenant): Promise<ScimClient> =>
  ScimClient.create(app, tenant.owner, tenant.org, tenant.connectionId);
const auditOf = async ({ org, owner }: SsoTenant): Promise<any[]> =>
  expectStatus(200, await app.fetch(`/api/v1/orgs/${org.id}/audit-log?limit=100`, as(owner))).body.data;

let acme: SsoTenant;
let scim: ScimClient;
let other: TestApp;
beforeAll(async () => {
  acme = await tenants.create();
  scim = await clientOf(acme);
  other = await app.another({ role: 'api' });
});
afterAll(() => other.stop());

describe('SCIM tokens', () => {
  it('are returned once, listed without the secret, and revoked in every process at the next call', async () => {
    const tenant = await tenants.create();
    const { data } = expectStatus(201, await app.post(tokensPath(tenant), { name: 'Okta' }, as(tenant.owner))).body;
    expect(data).toEqual({
      id: expect.stringMatching(/^sct_[0-9a-z]{26}$/),
      name: 'Okta',
      prefix: 'svc_scim_',
      last4: data.secret.slice(-4),
      created_by: tenant.owner.user.id,
      created_at: expect.any(String),
      expires_at: expect.any(String),
      secret: expect.stringMatching(/^svc_scim_\w{39}$/),
      base_url: `http://api.test/scim/v2/${tenant.connectionId}`,
    });
    const year = Date.parse(data.expires_at as string) - Date.parse(data.created_at as string);
    expect(year).toBe(365 * 86_400_000);
    const { secret, base_url: baseUrl, ...shown } = data;
    expect(baseUrl).toBe(`http://api.test/scim/v2/${tenant.connectionId}`);
    const own = new ScimClient(app, tenant.connectionId, secret as string);
    expectStatus(200, await own.call('GET', '/Users'));
    const [listed] = expectStatus(200, await app.fetch(tokensPath(tenant), as(tenant.owner))).body.data;
    expect(listed).toEqual({ ...shown, last_used_at: expect.any(String) });
    const stored = await make.sql('SELECT * FROM scim_tokens WHERE id = $1', [data.id]);
    expect(JSON.stringify(stored)).not.toContain(secret);

    expectStatus(200, await own.at(other).call('GET', '/Users'));
    expectStatus(204, await revoke(tenant, data.id as string));
    for (const each of [own, own.at(other)]) expect((await each.call('GET', '/Users')).body).toEqual(REFUSED);
    expect(codeOf(await revoke(tenant, data.id as string))).toEqual([404, 'scim_token_not_found']);
    expect(expectStatus(200, await app.fetch(tokensPath(tenant), as(tenant.owner))).body.data).toEqual([]);
    const entries = (await auditOf(tenant)).filter(({ target }) => target.id === data.id);
    expect(entries.map(({ action }) => action)).toEqual(['scim_token.revoked', 'scim_token.created']);
  });

  it('are at most five, and expire within a year', async () => {
    const tenant = await tenants.create();
    const create = (body: object): Promise<Answer> => app.post(tokensPath(tenant), body, as(tenant.owner));
    const faultOf = ({ status, body }: Answer): unknown => [status, body.error.details[0].code];
    const [past, late] = [-1, 366].map((days) => new Date(Date.now() + days * 86_400_000).toISOString());
    for (const expires_at of [past, late])
      expect(faultOf(await create({ name: 'x', expires_at }))).toEqual([400, 'is_within_a_year']);
    expect(faultOf(await create({}))).toEqual([400, 'is_string']);
    for (let n = 0; n < 5; n++) expectStatus(201, await create({ name: `token ${n}` }));
    expect(faultOf(await create({ name: 'another' }))).toEqual([400, 'max_tokens']);
    await make.sql(`UPDATE scim_tokens SET expires_at = now() WHERE connection_id = $1 AND name = 'token 0'`, [
      tenant.connectionId,
    ]);
    expectStatus(201, await create({ name: 'another' }));
  });

  it('are managed by those who manage SSO, in a session with a recent sign-in', async () => {
    const [member, outsider] = [await make.person(), await make.person()];
    await make.member(acme.org, member, 'member');
    const key = await make.key(acme.owner);
    const body = { name: 'Okta' };
    const create = (by: Person | string): Promise<Answer> => app.post(tokensPath(acme), body, as(by));
    expect(codeOf(await app.post(tokensPath(acme), body))).toEqual([401, 'session_required']);
    expect(codeOf(await create(key))).toEqual([401, 'session_required']);
    expect(codeOf(await create(member))).toEqual([403, 'insufficient_scopes']);
    expect(codeOf(await create(outsider))).toEqual([404, 'organization_not_found']);
    const foreign = await tenants.create();
    const path = tokensPath({ ...acme, connectionId: foreign.connectionId });
    expect(codeOf(await app.post(path, body, as(acme.owner)))).toEqual([404, 'sso_connection_not_found']);
    expect(codeOf(await app.fetch(path, as(acme.owner)))).toEqual([404, 'sso_connection_not_found']);

    const { owner } = foreign;
    await make.sql(`UPDATE sessions SET authenticated_at = now() - interval '1 hour' WHERE user_id = $1`, [
      owner.user.id,
    ]);
    await make.raiseEpochOf(owner);
    for (const [method, at] of [
      ['POST', ''],
      ['DELETE', '/sct_00000000000000000000000000'],
    ] as const)
      expect(codeOf(await send(app, [method, tokensPath(foreign, at)], body, as(owner)))).toEqual([
        401,
        'recent_sign_in_required',
      ]);
  });

  it('are revoked when they are found in public, and their creator is notified', async () => {
    const tenant = await tenants.create();
    const own = await clientOf(tenant);
    const place = { url: 'https://github.com/acme/it/blob/1/scim.tf', source: 'commit' };
    expectStatus(200, await scanner.report(app, [{ token: own.token, ...place }]));
    expect((await own.call('GET', '/Users')).body).toEqual(REFUSED);
    expect((await mailTo(app, tenant.owner.user.email, 'in public')).subject).toMatch(/^Your SCIM token/);
    expect(await auditOf(tenant)).toContainEqual(
      expect.objectContaining({
        action: 'scim_token.revoked',
        details: { connection_id: tenant.connectionId, name: 'Okta', reason: 'leaked', ...place },
      }),
    );
  });
});

describe('access to SCIM', () => {
  it('is refused in the same way for every token that does not open the connection', async () => {
    const [sibling, foreign] = [await tenants.create(), await tenants.create()];
    const second = { ...acme, connectionId: (await connectionBeside(acme)).id };
    const expired = await clientOf(acme);
    await make.sql(
      'UPDATE scim_tokens SET expires_at = now() WHERE connection_id = $1 AND id = (SELECT max(id) FROM scim_tokens)',
      [acme.connectionId],
    );
    const unknown = (await clientOf(sibling)).token.replace(/.{39}$/, 'x'.repeat(39));
    const refused = [
      await scim.call('GET', '/Users', undefined, { headers: { authorization: '' } }),
      await scim.call('GET', '/Users', undefined, { headers: { authorization: `Basic ${scim.token}` } }),
      await scim.with({ token: unknown }).call('GET', '/Users'),
      await scim.with({ token: acme.owner.sessionToken }).call('GET', '/Users'),
      await scim.with({ token: await make.key(acme.owner) }).call('GET', '/Users'),
      await expired.call('GET', '/Users'),
      // These are of another connection of the organization, or another organization, or for none that exists.
      await scim.with({ token: (await clientOf(second)).token }).call('GET', '/Users'),
      await scim.with({ token: (await clientOf(foreign)).token }).call('POST', '/Users', { userName: 'x' }),
      await scim.with({ connectionId: second.connectionId }).call('GET', '/Users'),
      await scim.with({ connectionId: foreign.connectionId }).call('GET', '/Users/scu_x'),
      await scim.with({ connectionId: 'sso_00000000000000000000000000' }).call('GET', '/Me'),
      await scim.with({ connectionId: '%00' }).call('GET', '/ServiceProviderConfig'),
    ];
    for (const { status, body, headers } of refused) {
      expect([status, body]).toEqual([401, REFUSED]);
      expect(headers.get('www-authenticate')).toBe('Bearer realm="scim"');
    }
    // A token of SCIM opens nothing else.
    expect(codeOf(await app.fetch('/api/v1/me', as(scim.token)))).toEqual([401, 'malformed_api_key']);
  });

  it('shows and changes nothing of another connection, in the same organization or another one', async () => {
    const foreign = await tenants.create();
    const second = { ...acme, connectionId: (await connectionBeside(acme)).id };
    const address = `${uniqueName('eve')}@${acme.domain}`;
    const user = await scim.user(address, { externalId: 'of-acme' });
    const group = await scim.group(uniqueName('Engineers'), [user.id]);
    for (const tenant of [second, foreign]) {
      const them = await clientOf(tenant);
      for (const [method, path] of [
        ['GET', `/Users/${user.id}`],
        ['PUT', `/Users/${user.id}`],
        ['PATCH', `/Users/${user.id}`],
        ['DELETE', `/Users/${user.id}`],
        ['GET', `/Groups/${group.id}`],
        ['PUT', `/Groups/${group.id}`],
        ['PATCH', `/Groups/${group.id}`],
        ['DELETE', `/Groups/${group.id}`],
      ] as const) {
        const sent = { userName: address, displayName: 'x', Operations: [{ op: 'remove', path: 'members' }] };
        const body = method === 'GET' || method === 'DELETE' ? undefined : sent;
        expect([method, path, (await them.call(method, path, body)).status]).toEqual([method, path, 404]);
      }
      for (const filter of [`id eq "${user.id}"`, `userName eq "${address}"`, 'externalId eq "of-acme"'])
        expect((await them.call('GET', `/Users?filter=${encodeURIComponent(filter)}`)).body.totalResults).toBe(0);
      expect((await them.call('GET', '/Groups')).body.totalResults).toBe(0);
      const refused = await them.call('POST', '/Groups', { displayName: 'Spies', members: [{ value: user.id }] });
      expect([refused.status, refused.body.scimType]).toEqual([400, 'invalidValue']);
      // What is unique is unique within a connection: nobody learns what another one has.
      const own = { userName: `${uniqueName('me')}@${tenant.domain}`, externalId: 'of-acme', active: true };
      expectStatus(201, await them.call('POST', '/Users', own));
      expectStatus(201, await them.call('POST', '/Groups', { displayName: group.displayName }));
    }
    expect((await scim.call('GET', `/Groups/${group.id}`)).body.members).toMatchObject([{ value: user.id }]);
  });

  it('ends with the plan, and comes back with it', async () => {
    const tenant = await tenants.create();
    const own = await clientOf(tenant);
    await make.plan(tenant.org.id, 'free');
    const { status, body } = await own.call('GET', '/Users');
    expect([status, body.schemas, body.status]).toEqual([403, REFUSED.schemas, '403']);
    expect(codeOf(await app.post(tokensPath(tenant), { name: 'x' }, as(tenant.owner)))).toEqual([
      403,
      'feature_not_in_plan',
    ]);
    await make.plan(tenant.org.id, 'enterprise');
    expectStatus(200, await own.call('GET', '/Users'));
  });

  it('ends with the connection, and all of its rows go', async () => {
    const tenant = await tenants.create();
    const own = await clientOf(tenant);
    const user = await own.user(`${uniqueName('ada')}@${tenant.domain}`);
    await own.group('Engineers', [user.id]);
    const path = `/api/v1/orgs/${tenant.org.id}/sso/connections/${tenant.connectionId}`;
    expectStatus(204, await app.call('DELETE', path, as(tenant.owner)));
    expect((await own.call('GET', '/Users')).body).toEqual(REFUSED);
    for (const table of ['scim_users', 'scim_groups', 'scim_group_members', 'scim_tokens', 'sso_provisioned_people'])
      expect(await make.sql(`SELECT 1 FROM ${table} WHERE connection_id = $1`, [tenant.connectionId])).toEqual([]);
  });

  it('is limited for addresses that guess, and for each connection, with Retry-After in the form of SCIM', async () => {
    const tenant = await tenants.create();
    const own = await clientOf(tenant);
    const from = randomAddress();
    // The form of the token is right, and its connection has it no longer.
    const gone = await tenants.create();
    const { token } = await clientOf(gone);
    await make.sql('DELETE FROM scim_tokens WHERE connection_id = $1', [gone.connectionId]);
    const guess = (): Promise<Answer> => own.with({ token }).call('GET', '/Users', undefined, { from });
    const limited = async (call: () => Promise<Answer>, atMost: number): Promise<Answer> => {
      for (let n = 0; n < atMost; n += 20) {
        const found = (await Promise.all(Array.from({ length: 20 }, call))).find(({ status }) => status === 429);
        if (found !== undefined) return found;
      }
      throw new Error('Nothing was limited.');
    };
    const answers = [await limited(guess, 400), await limited(() => own.call('GET', '/Users?count=0'), 2_000)];
    for (const { headers, body } of answers) {
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(body).toEqual({ schemas: REFUSED.schemas, status: '429', detail: expect.any(String) });
    }
    // Others go on.
    expectStatus(200, await scim.call('GET', '/Users'));
  });

  it('is counted by result', async () => {
    const text = async (): Promise<string> => (await app.fetch('/metrics')).text;
    const countOf = async (result: string): Promise<number> =>
      Number(new RegExp(`scim_requests_total\\{[^}]*result="${result}"[^}]*\\} (\\d+)`).exec(await text())?.[1] ?? 0);
    const before = await Promise.all(['succeeded', 'refused', 'unauthorized'].map(countOf));
    await scim.call('GET', '/Users');
    await scim.call('GET', '/Users/unknown');
    await scim.with({ token: 'x' }).call('GET', '/Users');
    const after = await Promise.all(['succeeded', 'refused', 'unauthorized'].map(countOf));
    expect(after.map((count, index) => count - before[index]!)).toEqual([1, 1, 1]);
  });
});

describe('bodies and queries', () => {
  const USERS = '/Users';
  it.each<[string, string, number, string | undefined]>([
    ['no JSON', '{', 400, 'invalidSyntax'],
    ['a list', '[]', 400, undefined],
    ['JSON that nests too deep', `${'{"a":'.repeat(100)}1${'}'.repeat(100)}`, 400, 'invalidSyntax'],
    ['a body above a mebibyte', JSON.stringify({ userName: 'x'.repeat(1_048_576) }), 413, undefined],
    ['no userName', '{}', 400, 'invalidValue'],
    ['a userName that is no text', '{"userName":{}}', 400, 'invalidValue'],
    ['a userName that is too long', JSON.stringify({ userName: 'x'.repeat(256) }), 400, 'invalidValue'],
    ['a userName with a NUL', JSON.stringify({ userName: 'a\0b' }), 400, 'invalidValue'],
    ['half of a surrogate pair', '{"userName":"\\ud800"}', 400, 'invalidValue'],
    ['no address', '{"userName":"ada"}', 400, 'invalidValue'],
    ['an address that is none', '{"userName":"ada","emails":[{"value":"ada"}]}', 400, 'invalidValue'],
    ['active that is neither', '{"userName":"a@b.test","active":"maybe"}', 400, 'invalidValue'],
  ])('refuses %s', async (_, body, status, scimType) => {
    const answer = await scim.call('POST', USERS, body);
    expect([answer.status, answer.body]).toEqual([
      status,
      {
        schemas: REFUSED.schemas,
        status: `${status}`,
        detail: expect.any(String),
        ...(scimType === undefined ? {} : { scimType }),
      },
    ]);
    expect(answer.text).not.toMatch(/ at |node_modules/);
  });

  it('takes application/json, and no other type', async () => {
    const options = (type: string): object => ({ headers: { 'content-type': type } });
    const body = { userName: `${uniqueName('json')}@${acme.domain}` };
    expectStatus(415, await scim.call('POST', USERS, body, options('text/plain')));
    expectStatus(201, await scim.call('POST', USERS, body, options('application/json')));
  });

  it.each<[string, object[] | undefined, string]>([
    ['without operations', undefined, 'invalidSyntax'],
    ['with an empty list', [], 'invalidSyntax'],
    ['to move', [{ op: 'move', path: 'active', value: true }], 'invalidSyntax'],
    ['to remove nothing', [{ op: 'remove' }], 'invalidSyntax'],
    ['of a text without a path', [{ op: 'replace', value: 'x' }], 'invalidValue'],
    ['of an unknown attribute', [{ op: 'replace', path: 'hobby', value: 'x' }], 'invalidPath'],
    ['of half a path', [{ op: 'replace', path: 'emails[', value: 'x' }], 'invalidPath'],
    ['by an unknown operator', [{ op: 'replace', path: 'emails[type gt 1].value', value: 'x' }], 'invalidFilter'],
    ['to remove userName', [{ op: 'remove', path: 'userName' }], 'invalidValue'],
    ['to remove active', [{ op: 'remove', path: 'active' }], 'invalidValue'],
    ['with 1,001 operations', Array.from({ length: 1_001 }, () => ({ op: 'add', path: 'title' })), 'invalidValue'],
  ])('refuses a PATCH %s', async (_, Operations, scimType) => {
    const body = { Operations };
    const user = await scim.user(`${uniqueName('patched')}@${acme.domain}`);
    const answer = await scim.call('PATCH', `/Users/${user.id}`, body);
    expect([answer.status, answer.body.scimType]).toEqual([400, scimType]);
    expect((await scim.call('GET', `/Users/${user.id}`)).body).toEqual(user);
  });

  it.each<[string, string]>([
    ['userName co "a"', 'userName co "a"'],
    ['userName eq "a" or userName eq "b"', 'userName eq "a" or userName eq "b"'],
    ['not (userName eq "a")', 'not (userName eq "a")'],
    ['(userName eq "a")', '(userName eq "a")'],
    ['userName eq', 'userName eq'],
    ['userName', 'userName'],
    ['userName eq "a', 'userName eq "a'],
    ['password eq "a"', 'password eq "a"'],
    ['__proto__ eq "a"', '__proto__ eq "a"'],
    ['name.givenName eq "Ada"', 'name.givenName eq "Ada"'],
    ['userName eq 5', 'userName eq 5'],
    ['with 2,000 characters', `userName eq "${'x'.repeat(2_000)}"`],
    ['with eleven comparisons', Array.from({ length: 11 }, () => 'active eq true').join(' and ')],
  ])('refuses the filter %s', async (_, filter) => {
    const answer = await scim.call('GET', `/Users?filter=${encodeURIComponent(filter)}`);
    expect([answer.status, answer.body.scimType]).toEqual([400, 'invalidFilter']);
  });

  it.each<[string, () => object]>([
    ['a thousand operations', () => ({ Operations: Array.from({ length: 1_000 }, () => ({ op: 'add', value: {} })) })],
    ['an object of 60,000 members', () => objectOf(60_000)],
    ['a list of addresses', () => ({ userName: 'x', emails: Array.from({ length: 25_000 }, () => ({ value: 'a' })) })],
    [
      'paths of brackets',
      () => ({ Operations: Array.from({ length: 900 }, () => ({ op: 'add', path: 'a['.repeat(500) })) }),
    ],
    ['a long text', () => ({ userName: '"\\'.repeat(250_000) })],
  ])('answers %s in time', async (_, build) => {
    const user = await scim.user(`${uniqueName('slow')}@${acme.domain}`);
    const body = JSON.stringify(build());
    expect(body.length).toBeLessThan(1_048_576);
    for (const [method, path] of [
      ['POST', '/Users'],
      ['PUT', `/Users/${user.id}`],
      ['PATCH', `/Users/${user.id}`],
      ['POST', '/Groups'],
    ] as const) {
      const startedAt = performance.now();
      const { status } = await scim.call(method, path, body);
      expect([200, 400]).toContain(status);
      expect(performance.now() - startedAt).toBeLessThan(2_000);
    }
  });

  it('pages through users from the first index, a hundred at most', async () => {
    const tenant = await tenants.create();
    const own = await clientOf(tenant);
    const users = [];
    for (const name of ['a', 'b', 'c']) users.push(await own.user(`${name}@${tenant.domain}`, { externalId: name }));
    const page = async (query: string): Promise<any> =>
      expectStatus(200, await own.call('GET', `/Users?${query}`)).body;
    const ids = ({ Resources }: any): string[] => Resources.map(({ id }: any) => id);
    expect(ids(await page('startIndex=2&count=1'))).toEqual([users[1].id]);
    expect(await page('startIndex=2&count=1')).toMatchObject({ totalResults: 3, startIndex: 2, itemsPerPage: 1 });
    expect(ids(await page('startIndex=0&count=5000'))).toEqual(users.map(({ id }) => id));
    expect(await page('count=0')).toMatchObject({ totalResults: 3, itemsPerPage: 0, Resources: [] });
    expect(await page('count=-1')).toMatchObject({ itemsPerPage: 0 });
    expect(await page('startIndex=99999')).toMatchObject({ totalResults: 3, Resources: [] });
    expect((await page('attributes=userName,meta')).Resources[0]).toEqual({
      schemas: expect.any(Array),
      id: users[0].id,
      userName: users[0].userName,
      meta: users[0].meta,
    });
    expect((await page('excludedAttributes=meta,emails,id')).Resources[0]).not.toHaveProperty('meta');
    for (const query of ['count=x', 'startIndex=1.5', 'count=1&count=2'])
      expectStatus(400, await own.call('GET', `/Users?${query}`));
  });
});

const objectOf = (members: number): object =>
  Object.fromEntries(Array.from({ length: members }, (_, n) => [`m${n}`, n]));

/** Another connection of the same organization. */
async function connectionBeside({ org, owner }: SsoTenant): Promise<{ id: string }> {
  const oidc = { issuer: provider.url, client_id: provider.clientId, client_secret: provider.clientSecret };
  const path = `/api/v1/orgs/${org.id}/sso/connections`;
  return expectStatus(201, await app.post(path, { name: 'Second', type: 'oidc', oidc }, as(owner))).body.data;
}
