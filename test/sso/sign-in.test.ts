import { completeFlow } from '../support/external-sign-in.js';
import { FakeGoogle } from '../support/fake-google.js';
import { as, expectStatus, Make, type Org, type Person, send, uniqueName } from '../support/make.js';
import { type SsoTenant, SsoTenants } from '../support/sso.js';
import { type Answer, type TestApp, useApp } from '../support/test-app.js';
import { addTotp, codeFor } from '../support/totp.js';

const ME = '/api/v1/me';

describe('sign-in through the SSO connection of an organization', () => {
  const settings: NodeJS.ProcessEnv = { EMAIL_VERIFICATION: 'required' };
  const issuer = FakeGoogle.useForSso(settings);
  const app = useApp(settings);
  const make = new Make(app);
  const tenants = new SsoTenants(app, make, issuer);
  let acme: SsoTenant;
  let other: TestApp;

  beforeAll(async () => {
    acme = await tenants.create();
    other = await app.another({ role: 'api' });
  });
  afterAll(() => other.stop());
  afterEach(() => {
    issuer.behave();
  });

  const errorOf = ({ status, body }: Answer): unknown => [status, body.error?.code ?? body.data];
  const roleIn = async (org: Org, person: Person): Promise<string | undefined> => {
    const { data } = expectStatus(200, await app.fetch(ME, as(person))).body;
    return data.organizations.find(({ id }: Org) => id === org.id)?.role;
  };
  const verifyAddress = (person: Person): Promise<unknown> =>
    make.sql('UPDATE users SET email_verified_at = now() WHERE id = $1', [person.user.id]);
  const auditOf = async (org: Org, owner: Person): Promise<any[]> =>
    expectStatus(200, await app.fetch(`/api/v1/orgs/${org.id}/audit-log?limit=100`, as(owner))).body.data;

  describe('of people who have no account', () => {
    it('creates one with a proven address and without a password, and makes the person a member', async () => {
      const there = tenants.person(acme.domain);
      const flow = await tenants.begin({ email: there.email!.toUpperCase() });
      const answer = expectStatus(200, await completeFlow(app, flow, await tenants.walk(flow, there))).body.data;
      expect(answer.user).toMatchObject({ email: there.email, email_verified: true });
      const person: Person = {
        user: answer.user,
        sessionToken: answer.session_token,
        organization: answer.organization,
        password: '',
      };
      expect(await roleIn(acme.org, person)).toBe('member');
      expect((await app.fetch(`${ME}/identities`, as(person))).body.data).toMatchObject([
        { provider: 'sso', connection_id: acme.connectionId, name: 'Ada Lovelace' },
      ]);
      expect(await auditOf(acme.org, acme.owner)).toContainEqual(
        expect.objectContaining({
          action: 'member.joined',
          target: { type: 'user', id: person.user.id },
          details: { role: 'member', connection_id: acme.connectionId },
        }),
      );
      expect((await tenants.enter(acme, there)).user.id).toBe(person.user.id);
    });

    it('creates one account of several sign-ins at once, in all processes', async () => {
      const there = tenants.person(acme.domain);
      const flows = await Promise.all([1, 2, 3, 4].map(() => tenants.begin({ org: acme.org.id })));
      const codes = await Promise.all(flows.map((flow) => tenants.walk(flow, there)));
      const answers = await Promise.all(
        flows.map((flow, index) => completeFlow(index % 2 === 0 ? app : other, flow, codes[index]!)),
      );
      expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
      for (const answer of answers) expect([200, 409]).toContain(answer.status);
      expect(await make.sql('SELECT id FROM users WHERE email = $1', [there.email])).toHaveLength(1);
    });

    it('refuses people whom the organization has not added, where the connection adds nobody', async () => {
      const strict = await tenants.create({ jit: false });
      const there = tenants.person(strict.domain);
      expect(errorOf(await tenants.signIn(strict, there))).toEqual([403, 'sso_not_provisioned']);
      expect(await make.sql('SELECT id FROM users WHERE email = $1', [there.email])).toEqual([]);
    });

    it('uses a code once', async () => {
      const there = tenants.person(acme.domain);
      const flow = await tenants.begin({ org: acme.org.slug });
      const code = await tenants.walk(flow, there);
      expectStatus(200, await completeFlow(app, flow, code));
      expect(errorOf(await completeFlow(other, flow, code))).toEqual([400, 'invalid_flow']);
    });
  });

  describe('of people whose address has an account', () => {
    it('finds it by the address, if the organization has verified the domain', async () => {
      const person = await make.person({ email: `${uniqueName('grace')}@${acme.domain}` });
      await verifyAddress(person);
      const key = await make.key(person);
      const entered = await tenants.enter(acme, tenants.person(acme.domain, { email: person.user.email }));
      expect(entered.user.id).toBe(person.user.id);
      expect(await roleIn(acme.org, entered)).toBe('member');
      // The owner of a proven address keeps what signs in.
      expectStatus(200, await app.fetch(ME, as(person)));
      expectStatus(200, await app.fetch(ME, as(key)));
      const signedIn = { login: person.user.username, password: person.password };
      expectStatus(200, await app.post('/api/v1/auth/sign-in', signedIn));
    });

    it('ends what another person may have set up in an account whose address was never proven', async () => {
      const squatter = await make.person({ email: `${uniqueName('grace')}@${acme.domain}` });
      await addTotp(app, squatter);
      const entered = await tenants.enter(acme, tenants.person(acme.domain, { email: squatter.user.email }));
      expect(entered.user).toMatchObject({ id: squatter.user.id, email_verified: true });
      for (const at of [app, other])
        expect(errorOf(await at.fetch(ME, as(squatter)))).toEqual([401, 'invalid_session']);
      const signIn = { login: squatter.user.username, password: squatter.password };
      expect(errorOf(await app.post('/api/v1/auth/sign-in', signIn))).toEqual([401, 'invalid_credentials']);
      expect((await app.fetch(`${ME}/factors`, as(entered))).body.data).toMatchObject({ factors: [] });
      expect(expectStatus(200, await app.fetch(ME, as(entered))).body.data.user).toMatchObject({
        has_password: false,
      });
    });

    it('finds nobody by an address in a domain that the organization has not verified', async () => {
      const victim = await make.person({ email: `${uniqueName('victim')}@example.org` });
      for (const email of [victim.user.email, `${uniqueName('nobody')}@example.org`])
        expect(errorOf(await tenants.signIn(acme, tenants.person(acme.domain, { email })))).toEqual([
          409,
          'domain_not_verified',
        ]);
      const elsewhere = await tenants.create();
      const theirs = tenants.person(elsewhere.domain);
      await tenants.enter(elsewhere, theirs);
      expect(errorOf(await tenants.signIn(acme, tenants.person(acme.domain, { email: theirs.email! })))).toEqual([
        409,
        'domain_not_verified',
      ]);
    });

    it('lets nobody into the account of an identity of another connection by its subject', async () => {
      const elsewhere = await tenants.create();
      const theirs = await tenants.enter(elsewhere, tenants.person(elsewhere.domain));
      const { sub } = (
        await make.sql('SELECT subject AS sub FROM identities WHERE user_id = $1', [theirs.user.id])
      )[0]!;
      const entered = await tenants.enter(acme, tenants.person(acme.domain, { sub: sub as string }));
      expect(entered.user.id).not.toBe(theirs.user.id);
    });

    it('refuses a second identity of the connection for an account', async () => {
      const there = tenants.person(acme.domain);
      await tenants.enter(acme, there);
      expect(errorOf(await tenants.signIn(acme, tenants.person(acme.domain, { email: there.email! })))).toEqual([
        409,
        'account_exists',
      ]);
    });

    it('asks who has a second factor for it, in an account with a proven address', async () => {
      const there = tenants.person(acme.domain);
      const person = await tenants.enter(acme, there);
      const { secret } = await addTotp(app, person);
      const asked = await tenants.signIn(acme, there);
      expect(errorOf(asked)).toEqual([401, 'second_factor_required']);
      const { token } = asked.body.error.details;
      const code = codeFor(app, secret);
      const { session_token: session } = expectStatus(
        200,
        await app.post('/api/v1/auth/second-factor', { token, code }),
      ).body.data;
      const [row] = await make.sql(
        'SELECT methods, connection_id FROM sessions WHERE user_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1',
        [person.user.id],
      );
      expect(row).toEqual({ methods: ['sso', 'totp'], connection_id: acme.connectionId });
      expectStatus(200, await app.fetch(ME, as(session as string)));
    });

    it('connects an address elsewhere to an account whose owner is signed in', async () => {
      const contractor = await make.person();
      await verifyAddress(contractor);
      await make.member(acme.org, contractor, 'viewer');
      const flow = await tenants.begin({ org: acme.org.id });
      const there = tenants.person(acme.domain, { email: contractor.user.email });
      expect(errorOf(await completeFlow(app, flow, await tenants.walk(flow, there)))).toEqual([
        409,
        'domain_not_verified',
      ]);
      await tenants.connect(acme, contractor, there);
      const entered = await tenants.enter(acme, there);
      expect(entered.user.id).toBe(contractor.user.id);
      expect(await roleIn(acme.org, entered)).toBe('viewer');
    });
  });

  describe('with groups', () => {
    it('gives the highest role of the groups at each sign-in, and never makes or changes owners', async () => {
      const grouped = await tenants.create({
        default_role: 'viewer',
        group_roles: [
          { group: 'developers', role: 'member' },
          { group: 'admins', role: 'admin' },
        ],
      });
      const there = tenants.person(grouped.domain, { groups: ['developers', 'admins'] });
      const person = await tenants.enter(grouped, there);
      expect(await roleIn(grouped.org, person)).toBe('admin');
      await tenants.enter(grouped, { ...there, groups: ['developers'] } as typeof there);
      expect(await roleIn(grouped.org, person)).toBe('member');
      await tenants.enter(grouped, { ...there, groups: [] } as typeof there);
      expect(await roleIn(grouped.org, person)).toBe('viewer');
      const owner = await tenants.enter(grouped, { ...grouped.ownerThere, groups: [] } as typeof there);
      expect(await roleIn(grouped.org, owner)).toBe('owner');
    });

    it('leaves roles as they are where no groups are configured', async () => {
      const there = tenants.person(acme.domain);
      const person = await tenants.enter(acme, there);
      await make.role(acme.org, person, 'admin');
      await tenants.enter(acme, there);
      expect(await roleIn(acme.org, person)).toBe('admin');
    });
  });

  describe('that ends', () => {
    it('at the next call when the person disconnects the identity, except in the own session', async () => {
      const person = await make.person({ email: `${uniqueName('grace')}@${acme.domain}` });
      await verifyAddress(person);
      const through = await tenants.enter(acme, tenants.person(acme.domain, { email: person.user.email }));
      const [{ id }] = expectStatus(200, await app.fetch(`${ME}/identities`, as(person))).body.data;
      expectStatus(204, await app.call('DELETE', `${ME}/identities/${id}`, as(person)));
      for (const at of [app, other]) expect(errorOf(await at.fetch(ME, as(through)))).toEqual([401, 'invalid_session']);
      expectStatus(200, await app.fetch(ME, as(person)));
    });

    it('when the connection is paused, also for a sign-in that was begun before', async () => {
      const paused = await tenants.create();
      const there = tenants.person(paused.domain);
      const flow = await tenants.begin({ org: paused.org.id });
      const code = await tenants.walk(flow, there);
      const path = `/api/v1/orgs/${paused.org.id}/sso/connections/${paused.connectionId}/pause`;
      expectStatus(200, await app.call('POST', path, as(paused.owner)));
      expect(errorOf(await completeFlow(app, flow, code))).toEqual([400, 'invalid_flow']);
      const body = {
        method: 'sso',
        return_to: 'http://127.0.0.1:1/',
        challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      };
      for (const wanted of [
        { org: paused.org.id },
        { email: there.email },
        { org: 'nobody' },
        { email: 'a@b.example' },
      ])
        expect(errorOf(await app.post('/api/v1/auth/flows', { ...body, ...wanted }))).toEqual([
          404,
          'sso_connection_not_found',
        ]);
    });
  });

  it.each([
    [{ method: 'sso' }, 'method'],
    [{ method: 'sso', org: 'acme', email: 'ada@acme.com' }, 'method'],
    [{ method: 'google', org: 'acme' }, 'method'],
    [{ method: 'sso', email: 'nobody' }, 'email'],
    [{ method: 'sso', org: 'acme', return_to: 'https://evil.example/' }, 'return_to'],
  ])('returns 400 for %j', async (body, path) => {
    const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
    const org = 'return_to' in body ? { org: acme.org.slug } : {};
    const answer = await app.post('/api/v1/auth/flows', {
      return_to: 'http://127.0.0.1:1/',
      challenge,
      ...body,
      ...org,
    });
    expect(errorOf(answer)).toEqual([400, 'invalid_request']);
    expect(answer.body.error.details[0].path).toBe(path);
  });

  it('leaves out of its answers whether an address has an account', async () => {
    const known = await make.person({ email: `${uniqueName('grace')}@${acme.domain}` });
    const body = {
      method: 'sso',
      return_to: 'http://127.0.0.1:1/',
      challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    };
    for (const email of [known.user.email, `${uniqueName('nobody')}@${acme.domain}`]) {
      const answer = expectStatus(201, await send(app, ['POST', '/api/v1/auth/flows'], { ...body, email }, {}));
      expect(Object.keys(answer.body.data as object)).toEqual(['id', 'authorize_url', 'expires_at']);
    }
  });
});
