import { type DeclaredRoute, RouteDirectory } from '../../src/modules/auth/route-directory.js';
import { takesOnlySessions } from '../../src/modules/auth/require-scope.js';
import { Clock } from '../../src/platform/time/clock.js';
import { FakeGoogle } from '../support/fake-google.js';
import { mailTo } from '../support/mailbox.js';
import { as, expectStatus, Make, type Person, send, uniqueName } from '../support/make.js';
import { SoftwareAuthenticator } from '../support/software-authenticator.js';
import { type SsoTenant, SsoTenants } from '../support/sso.js';
import { type Answer, eventually, type TestApp, useApp } from '../support/test-app.js';

const ABSENT = 'abc_00000000000000000000000000';
const HOME = { origin: 'https://dashboard.test', rpId: 'dashboard.test' };
const HOUR_MS = 3_600_000;

describe('an organization that requires SSO', () => {
  const settings: NodeJS.ProcessEnv = { DASHBOARD_URL: `${HOME.origin}/app` };
  const issuer = FakeGoogle.useForSso(settings);
  const app = useApp(settings);
  const make = new Make(app);
  const tenants = new SsoTenants(app, make, issuer);
  let other: TestApp;

  beforeAll(async () => {
    other = await app.another({ role: 'api' });
  });
  afterAll(() => other.stop());
  afterEach(() => jest.restoreAllMocks());

  const errorOf = ({ status, body }: Answer): unknown => [status, body.error?.code ?? body.data];
  const pass = (ms: number): void => {
    for (const each of [app, other]) {
      const clock = each.get(Clock);
      const later = new Date(clock.now().getTime() + ms);
      jest.spyOn(clock, 'now').mockReturnValue(later);
    }
  };
  const change = ({ org }: SsoTenant, body: object, by: Person): Promise<Answer> =>
    send(app, ['PATCH', `/api/v1/orgs/${org.id}`], body, as(by));
  const openIn = ({ org }: SsoTenant, credential: Person | string, at: TestApp = app): Promise<Answer> =>
    at.fetch(`/api/v1/orgs/${org.id}`, as(credential, { headers: { 'x-service-org': org.slug } }));

  /** Switches it on. Returns the owner in a session that came through the connection. */
  async function required(body: object = {}): Promise<SsoTenant & { readonly inside: Person }> {
    const tenant = await tenants.create();
    const inside = await tenants.enter(tenant, tenant.ownerThere);
    expectStatus(200, await change(tenant, { sso_required: true, ...body }, inside));
    return { ...tenant, inside };
  }

  async function addPasskey(person: Person): Promise<SoftwareAuthenticator> {
    const path = '/api/v1/me/factors/passkeys';
    const { challenge } = expectStatus(200, await app.call('POST', `${path}/options`, as(person))).body.data.options;
    const key = new SoftwareAuthenticator(HOME);
    const passkey = key.create({ challenge });
    expectStatus(201, await app.post(path, { name: 'Laptop', passkey }, as(person)));
    return key;
  }
  async function signInWith(key: SoftwareAuthenticator): Promise<string> {
    const { challenge } = expectStatus(200, await app.call('POST', '/api/v1/auth/passkey/options')).body.data.options;
    const signedIn = await app.post('/api/v1/auth/passkey', { passkey: key.get({ challenge }) });
    return expectStatus(200, signedIn).body.data.session_token as string;
  }

  describe('when it is switched on', () => {
    it('needs an active connection, an owner, and a session that came through the connection', async () => {
      const tenant = await tenants.create();
      const bare = await make.org(tenant.owner, { plan: 'enterprise' });
      const admin = await make.person();
      await make.member(tenant.org, admin, 'admin');
      expect(errorOf(await change({ ...tenant, org: bare }, { sso_required: true }, tenant.owner))).toEqual([
        409,
        'sso_not_active',
      ]);
      expect(errorOf(await change(tenant, { sso_required: true }, tenant.owner))).toEqual([403, 'sso_required']);
      expect(errorOf(await change(tenant, { sso_required: true }, admin))).toEqual([403, 'insufficient_scopes']);
      expect(errorOf(await change(tenant, { sso_exempt_owners: [admin.user.id] }, tenant.owner))).toEqual([
        400,
        'invalid_request',
      ]);
      for (const body of [{ sso_session_hours: 0 }, { sso_session_hours: 721 }, { sso_exempt_owners: ['a', 'b', 'c'] }])
        expect(errorOf(await change(tenant, body, tenant.owner))).toEqual([400, 'invalid_request']);
      const personal = { ...tenant, org: tenant.owner.organization };
      expect(errorOf(await change(personal, { sso_required: true }, tenant.owner))).toEqual([
        409,
        'personal_organization',
      ]);
      const inside = await tenants.enter(tenant, tenant.ownerThere);
      const changed = await change(tenant, { sso_required: true, sso_session_hours: 8 }, inside);
      expect(expectStatus(200, changed).body.data.sso).toEqual({
        active: true,
        required: true,
        session_hours: 8,
        exempt_owners: [],
      });
    });

    it('closes every route for members who came another way, and for their keys', async () => {
      const tenant = await tenants.create();
      const { org } = tenant;
      // A refused call counts for an organization that the caller has access to.
      const member = await make.person({ plan: 'enterprise' });
      await make.member(org, member, 'admin');
      const keys = [
        await make.key(member),
        await make.key(member, { kind: 'select_orgs', org_ids: [org.id] }),
        await make.key(member, { kind: 'org_bound', org_id: org.id }),
      ];
      const inside = await tenants.enter(tenant, tenant.ownerThere);
      expectStatus(200, await change(tenant, { sso_required: true }, inside));

      const routes = app
        .get(RouteDirectory)
        .list()
        .filter(({ method, path, rule }) => rule !== undefined && path.startsWith('/api/v1') && method !== 'HEAD');
      expect(routes.length).toBeGreaterThan(100);
      const ask = ({ method, path }: DeclaredRoute, token: string): Promise<Answer> => {
        const target = path.replace(':org_id', org.id).replace(/:\w+/g, ABSENT);
        const options = as(token, { headers: { 'x-service-org': org.id } });
        return method === 'GET' || method === 'DELETE'
          ? app.call(method, target, options)
          : send(app, [method, target], {}, options);
      };
      let walked = 0;
      for (const route of routes) {
        const { method, path, sessions } = route;
        const credentials = [
          ...(sessions === undefined || sessions === 'never' ? [] : [member.sessionToken]),
          ...(takesOnlySessions(sessions) ? [] : keys),
        ];
        for (const token of credentials) {
          expect([method, path, errorOf(await ask(route, token))]).toEqual([method, path, [403, 'sso_required']]);
          walked += 1;
        }
      }
      expect(walked).toBeGreaterThan(400);
    });

    it('says so of resources whose paths name no organization, and lists none of them', async () => {
      const { org, ...tenant } = await required();
      const member = await make.person();
      await make.member(org, member, 'admin');
      const inside = as(await make.key(tenant.inside, { kind: 'org_bound', org_id: org.id }));
      const created = async (path: string, body: object): Promise<string> =>
        expectStatus(201, await app.post(`/api/v1/${path}`, body, inside)).body.data.id as string;
      // No host runs here, so the database stays `creating`.
      await make.sql(
        `INSERT INTO database_hosts (id, address, certificate_sha256, engine, postgres_version, seen_at)
         VALUES ($1, '127.0.0.1:9', $2, 'own', '17.0', now())`,
        [`dbh_${'0'.repeat(26)}`, 'a'.repeat(64)],
      );
      const agent = { name: uniqueName('clerk'), models: ['fake/small'], instructions: 'Answer.' };
      const ids = {
        projects: await created('projects', { name: 'Shop' }),
        repositories: await created('repositories', { name: uniqueName('shop') }),
        agents: await created('agents', agent),
        'storage/buckets': await created('storage/buckets', { name: uniqueName('shop') }),
        databases: await created('databases', { name: uniqueName('shop') }),
      };
      const outsider = await make.key(await make.person());
      const key = await make.key(member);
      for (const [path, id] of Object.entries(ids)) {
        expectStatus(200, await app.fetch(`/api/v1/${path}/${id}`, inside));
        const shown = await app.fetch(`/api/v1/${path}/${id}`, as(key));
        expect([path, errorOf(shown)]).toEqual([path, [403, 'sso_required']]);
        expect(shown.body.error.details).toEqual({ requested_org: org.slug });
        const { data } = expectStatus(200, await app.fetch(`/api/v1/${path}`, as(key))).body;
        expect(data.map((each: { id: string }) => each.id)).not.toContain(id);
        expect([path, (await app.fetch(`/api/v1/${path}/${id}`, as(outsider))).status]).toEqual([path, 404]);
      }
      for (const credential of [member, key]) {
        const { data } = expectStatus(200, await app.fetch('/api/v1/orgs', as(credential))).body;
        expect(data.map(({ id }: { id: string }) => id)).not.toContain(org.id);
        const me = expectStatus(200, await app.fetch('/api/v1/me', as(credential))).body.data;
        expect(me.organizations.map(({ id }: { id: string }) => id)).not.toContain(org.id);
        const { id, slug } = org;
        expect(me.closed_organizations).toEqual([{ id, slug, name: expect.any(String), closed_by: 'sso' }]);
      }
      for (const path of [`/api/v1/orgs/${org.id}`, `/api/v1/orgs/${org.slug}/members`])
        expect(errorOf(await app.fetch(path, as(member)))).toEqual([403, 'sso_required']);
    });

    it('lets members in who come through the connection, in all processes and from the next call on', async () => {
      const { inside, ...tenant } = await required();
      const there = tenants.person(tenant.domain);
      const member = await tenants.enter(tenant, there);
      for (const at of [app, other]) expectStatus(200, await openIn(tenant, member, at));
      for (const at of [app, other])
        expect(errorOf(await openIn(tenant, tenant.owner, at))).toEqual([403, 'sso_required']);
      expectStatus(200, await change(tenant, { sso_required: false }, inside));
      for (const at of [app, other]) expectStatus(200, await openIn(tenant, tenant.owner, at));
    });

    it('counts a sign-in for so many hours, also in a session that goes on or that is opened from it', async () => {
      const { inside, ...tenant } = await required({ sso_session_hours: 2 });
      pass(2 * HOUR_MS - 60_000);
      expectStatus(200, await openIn(tenant, inside));
      pass(2 * 60_000);
      for (const at of [app, other]) expect(errorOf(await openIn(tenant, inside, at))).toEqual([403, 'sso_required']);
      expectStatus(200, await app.fetch('/api/v1/me', as(inside)));
    });

    it('names the way in, and nothing to other tenants', async () => {
      const { org, owner } = await required();
      const answer = await app.fetch(`/api/v1/orgs/${org.id}`, as(owner));
      expect(answer.body.error).toMatchObject({
        type: 'authorization_error',
        code: 'sso_required',
        details: { requested_org: org.slug },
        hint: expect.stringContaining(`"org": "${org.slug}"`),
      });
      const outsider = await make.person();
      expect(errorOf(await app.fetch(`/api/v1/orgs/${org.id}`, as(outsider)))).toEqual([404, 'organization_not_found']);
    });
  });

  describe('keys', () => {
    it('reach it when such a session made them, and otherwise once it has authorized them', async () => {
      const { inside, ...tenant } = await required();
      const made = await make.key(inside, { kind: 'org_bound', org_id: tenant.org.id });
      expectStatus(200, await openIn(tenant, made));
      const shownNow = expectStatus(200, await app.fetch('/api/v1/keys/current', as(made))).body.data;
      expect(shownNow.sso_org_ids).toEqual([tenant.org.id]);

      const earlier = await make.key(tenant.owner);
      expect(errorOf(await openIn(tenant, earlier))).toEqual([403, 'sso_required']);
      const { id } = expectStatus(200, await app.fetch('/api/v1/keys/current', as(earlier))).body.data;
      const path = `/api/v1/keys/${id}/authorize`;
      const org = tenant.org.slug;
      expect(errorOf(await app.post(path, { org }, as(tenant.owner)))).toEqual([403, 'sso_required']);
      expect(errorOf(await app.post(path, { org: 'nobody' }, as(inside)))).toEqual([403, 'org_access_denied']);
      expect(errorOf(await app.post(path, {}, as(inside)))).toEqual([400, 'invalid_request']);
      expect(errorOf(await app.post(path, { org }, as(made)))).toEqual([401, 'session_required']);
      expect(errorOf(await app.post(path, { org }))).toEqual([401, 'session_required']);
      expectStatus(200, await app.post(path, { org }, as(inside)));
      for (const at of [app, other]) expectStatus(200, await openIn(tenant, earlier, at));
      // What an authorized key makes is authorized as well.
      const { data } = expectStatus(201, await app.post('/api/v1/keys', { name: 'a key' }, as(earlier))).body;
      expectStatus(200, await openIn(tenant, data.secret as string));
    });

    it('of others cannot be authorized', async () => {
      const { inside, ...tenant } = await required();
      const member = await tenants.enter(tenant, tenants.person(tenant.domain));
      const key = await make.key(inside);
      const { id } = expectStatus(200, await app.fetch('/api/v1/keys/current', as(key))).body.data;
      const path = `/api/v1/keys/${id}/authorize`;
      expect(errorOf(await app.post(path, { org: tenant.org.id }, as(member)))).toEqual([404, 'api_key_not_found']);
      const outsider = await make.person();
      expect(errorOf(await app.post(path, { org: tenant.org.id }, as(outsider)))).toEqual([403, 'org_access_denied']);
    });
  });

  describe('owners who are exempt', () => {
    it('enter with a passkey alone, which is recorded, and of which all owners are notified', async () => {
      const tenant = await tenants.create();
      const second = await make.person();
      await make.member(tenant.org, second, 'owner');
      const key = await addPasskey(second);
      const plain = await addPasskey(tenant.owner);
      const inside = await tenants.enter(tenant, tenant.ownerThere).catch(() => undefined);
      // The owner has a second factor now, so the sign-in asks for it.
      expect(inside).toBeUndefined();
      await make.sql('UPDATE organizations SET sso_required = true, sso_exempt_owners = ARRAY[$2] WHERE id = $1', [
        tenant.org.id,
        second.user.id,
      ]);
      await make.member({ id: tenant.org.id, slug: '' }, await make.person(), 'viewer');
      await make.role(tenant.org, second, 'owner');
      await make.role(tenant.org, tenant.owner, 'owner');

      const session = await signInWith(key);
      for (const at of [app, other]) expectStatus(200, await openIn(tenant, session, at));
      expect(errorOf(await openIn(tenant, await signInWith(plain)))).toEqual([403, 'sso_required']);
      const audit = await app.fetch(`/api/v1/orgs/${tenant.org.id}/audit-log`, as(session));
      expect(expectStatus(200, audit).body.data).toContainEqual(
        expect.objectContaining({ action: 'sso.exempt_entry', target: { type: 'user', id: second.user.id } }),
      );
      for (const { user } of [tenant.owner, second])
        expect((await mailTo(app, user.email, 'without SSO')).text).toContain(second.user.username);

      await make.role(tenant.org, second, 'admin');
      expect(errorOf(await openIn(tenant, session))).toEqual([403, 'sso_required']);
    });

    it('make no keys that reach it', async () => {
      const tenant = await tenants.create();
      const key = await addPasskey(tenant.owner);
      await make.sql('UPDATE organizations SET sso_required = true, sso_exempt_owners = ARRAY[$2] WHERE id = $1', [
        tenant.org.id,
        tenant.owner.user.id,
      ]);
      const sessionToken = await signInWith(key);
      expectStatus(200, await openIn(tenant, sessionToken));
      const made = await make.key({ sessionToken });
      expect(errorOf(await openIn(tenant, made))).toEqual([403, 'sso_required']);
    });
  });

  describe('locks nobody out', () => {
    const pausedBy = async (tenant: SsoTenant, by: Person): Promise<Answer> =>
      app.call('POST', `/api/v1/orgs/${tenant.org.id}/sso/connections/${tenant.connectionId}/pause`, as(by));

    it('when the last connection is paused or deleted', async () => {
      const { inside, ...tenant } = await required();
      expectStatus(200, await pausedBy(tenant, inside));
      for (const at of [app, other]) expectStatus(200, await openIn(tenant, tenant.owner, at));
      const shown = await app.fetch(`/api/v1/orgs/${tenant.org.id}`, as(tenant.owner));
      expect(shown.body.data.sso).toMatchObject({ active: false, required: false });
      expect((await mailTo(app, tenant.owner.user.email, 'no longer required')).text).toContain('SSO');
    });

    it('when the plan no longer includes SSO, which pauses the connections', async () => {
      const { org, owner, connectionId } = await required();
      await make.plan(org.id, 'pro');
      const path = `/api/v1/orgs/${org.id}/sso/connections/${connectionId}`;
      const shown = async (): Promise<any> => (await app.fetch(path, as(owner))).body.data;
      await eventually(async () => (await shown())?.status === 'paused', 'the pause of the connection');
      expect(await shown()).toMatchObject({ paused_reason: 'plan' });
    });
  });
});
