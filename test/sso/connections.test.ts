import { FakeGoogle } from '../support/fake-google.js';
import { mailTo } from '../support/mailbox.js';
import { as, expectStatus, Make, type Person, uniqueName } from '../support/make.js';
import { FakeSamlIdp } from '../support/saml-idp.js';
import { oidcBody, ConnectionTenant } from '../support/connection-tenant.js';
import { type Answer, eventually, useApp } from '../support/test-app.js';

jest.setTimeout(60_000);

const ABSENT = 'sso_00000000000000000000000000';
const settings: NodeJS.ProcessEnv = {};
const provider = FakeGoogle.useForSso(settings);
const app = useApp(settings);
const make = new Make(app);
const codeOf = ({ status, body }: Answer): [number, string] => [status, body.error?.code];
const faultOf = ({ status, body }: Answer): [number, string, string] => {
  const [fault] = body.error?.details ?? [];
  return [status, fault?.path, fault?.code];
};

let idp: FakeSamlIdp;
let owner: Person;
let acme: ConnectionTenant;
beforeAll(async () => {
  idp = await FakeSamlIdp.create();
});
// An organization has few connections and few reads of providers, and a person few calls in a second.
beforeEach(async () => {
  provider.behave();
  owner = await make.person();
  acme = await ConnectionTenant.create(app, make, { owner });
});

describe('POST /orgs/:id/sso/connections', () => {
  it('creates a draft of OpenID Connect, with what the provider has to know', async () => {
    const mapping = { groups: 'roles' };
    const group_roles = [{ group: 'admins', role: 'admin' }];
    const connection = await acme.oidc(provider, { mapping, group_roles, jit: false, default_role: 'viewer' });
    expect(connection).toEqual({
      id: expect.stringMatching(/^sso_[0-9a-z]{26}$/),
      name: 'Okta',
      type: 'oidc',
      status: 'draft',
      oidc: {
        issuer: provider.url,
        client_id: provider.clientId,
        redirect_uri: `http://api.test/sign-in/sso/${connection.id}/callback`,
      },
      mapping,
      default_role: 'viewer',
      group_roles,
      jit: false,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(expectStatus(200, await acme.call('GET', `/${connection.id}`)).body.data).toEqual(connection);
    expect(expectStatus(200, await acme.call('GET')).body.data).toEqual([connection]);
    expect(await acme.audit(connection.id)).toMatchObject([
      { action: 'sso_connection.created', details: { name: 'Okta', type: 'oidc', status: 'draft' } },
    ]);
  });

  it('creates a draft of SAML from metadata, or from what is in them', async () => {
    const fromXml = await acme.saml({ metadata_xml: idp.metadata() });
    const typed = { entity_id: idp.entityId, sso_url: idp.ssoUrl, certificates: [idp.certificate] };
    const fromFields = await acme.saml(typed);
    const base = `http://api.test/sign-in/sso/${fromXml.id}`;
    expect(fromXml.saml).toEqual({
      entity_id: `${base}/metadata`,
      acs_url: `${base}/acs`,
      metadata_url: `${base}/metadata`,
      idp: {
        entity_id: idp.entityId,
        sso_url: idp.ssoUrl,
        certificates: [
          {
            sha256: expect.stringMatching(/^[0-9A-F]{2}(:[0-9A-F]{2}){31}$/),
            subject: 'CN=idp.test',
            expires_at: expect.any(String),
          },
        ],
      },
    });
    expect(fromFields.saml.idp).toEqual(fromXml.saml.idp);
    expect(fromXml).toMatchObject({ jit: true, default_role: 'member', group_roles: [], mapping: {} });
  });

  it('keeps secrets encrypted and returns none', async () => {
    const oidc = await acme.oidc(provider);
    const saml = await acme.saml({ metadata_xml: idp.metadata() });
    const rows = await make.sql('SELECT * FROM sso_connections WHERE id = ANY($1)', [[oidc.id, saml.id]]);
    const stored = rows.map((row) => `${row['client_secret']?.toString()} ${row['sp_key']?.toString()}`).join();
    expect(stored).not.toContain(provider.clientSecret);
    expect(stored).not.toContain('PRIVATE KEY');
    const { text } = await acme.call('GET');
    for (const secret of [provider.clientSecret, 'PRIVATE KEY', 'client_secret', 'sp_key'])
      expect(text).not.toContain(secret);
  });

  const typed = { entity_id: 'https://idp.test', sso_url: 'https://idp.test/sso' };
  it.each<[string, object, string, string]>([
    ['no name', { type: 'saml', saml: typed }, 'name', 'is_string'],
    ['another type', { name: 'x', type: 'ldap' }, 'type', 'is_in'],
    ['no provider', { name: 'x', type: 'oidc' }, 'oidc', 'is_needed'],
    ['the other provider', { name: 'x', type: 'oidc', saml: typed }, 'oidc', 'is_needed'],
    [
      'two forms of SAML',
      { name: 'x', type: 'saml', saml: { ...typed, metadata_url: 'https://a.test' } },
      'saml',
      'is_one_form',
    ],
    ['half a description', { name: 'x', type: 'saml', saml: typed }, 'saml', 'is_one_form'],
    ['no XML', { name: 'x', type: 'saml', saml: { metadata_xml: 'x' } }, 'saml.metadata_xml', 'is_identity_provider'],
    [
      'no certificate',
      { name: 'x', type: 'saml', saml: { ...typed, certificates: ['x'] } },
      'saml',
      'is_identity_provider',
    ],
    [
      'a metadata URL inside',
      { name: 'x', type: 'saml', saml: { metadata_url: 'http://127.0.0.1:1/m' } },
      'saml.metadata_url',
      'is_identity_provider',
    ],
    [
      'owners from a group',
      { name: 'x', type: 'saml', saml: {}, group_roles: [{ group: 'g', role: 'owner' }] },
      'group_roles[0].role',
      'is_in',
    ],
    ['owners by default', { name: 'x', type: 'saml', saml: {}, default_role: 'owner' }, 'default_role', 'is_in'],
    ['an unknown field', { name: 'x', type: 'saml', saml: { status: 'active' } }, 'saml.status', 'unknown_field'],
    [
      'a long claim',
      { name: 'x', type: 'saml', saml: {}, mapping: { email: 'x'.repeat(201) } },
      'mapping.email',
      'max_length',
    ],
  ])('returns 400 for %s', async (_, body, path, code) => {
    expect(faultOf(await acme.call('POST', '', body))).toEqual([400, path, code]);
  });

  it.each([
    'http://10.0.0.1',
    'https://localhost',
    'http://idp.example.com',
    'https://idp.example.com/?x=1',
    'ftp://a.b',
  ])('returns 400 for the issuer %s, without a request', async (issuer) => {
    const oidc = { issuer, client_id: 'x', client_secret: 'y' };
    const answer = await acme.call('POST', '', { name: 'x', type: 'oidc', oidc });
    expect(faultOf(answer)).toEqual([400, 'oidc.issuer', 'is_public_url']);
  });

  it('returns 400 for an issuer that does not answer, or names another one', async () => {
    provider.metadata = { issuer: 'https://other.example.com' };
    const other = await acme.call('POST', '', oidcBody(provider));
    provider.failure = 503;
    const failing = await acme.call('POST', '', oidcBody(provider));
    for (const answer of [other, failing]) expect(faultOf(answer)).toEqual([400, 'oidc.issuer', 'is_readable']);
    expect(other.body.error.message).toContain('another issuer');
    expect(expectStatus(200, await acme.call('GET')).body.data).toEqual([]);
  });

  it('returns 400 beyond ten connections', async () => {
    const { id } = await acme.saml({ metadata_xml: idp.metadata() });
    await make.sql(
      `INSERT INTO sso_connections SELECT (jsonb_populate_record(c, jsonb_build_object('id', 'sso_copy' || n || $1))).*
       FROM sso_connections c, generate_series(1, 9) AS n WHERE id = $1`,
      [id],
    );
    expect(faultOf(await acme.call('POST', '', oidcBody(provider)))).toEqual([400, '', 'max_connections']);
  });

  it('returns 409 for a personal organization', async () => {
    const person = await make.person({ plan: 'enterprise' });
    const path = `/api/v1/orgs/${person.organization.id}/sso/connections`;
    expect(codeOf(await app.post(path, oidcBody(provider), as(person)))).toEqual([409, 'personal_organization']);
  });
});

describe('every route of SSO connections', () => {
  const routes = (id: string): [string, string, object?][] => [
    ['GET', ''],
    ['POST', '', oidcBody(provider)],
    ['GET', `/${id}`],
    ['PATCH', `/${id}`, { name: 'Other' }],
    ['DELETE', `/${id}`],
    ['POST', `/${id}/test`, { return_to: 'http://127.0.0.1:1/', challenge: 'x'.repeat(43) }],
    ['POST', `/${id}/test/complete`, { flow_id: 'xsi_1', code: 'x', verifier: 'x'.repeat(43) }],
    ['POST', `/${id}/activate`],
    ['POST', `/${id}/pause`],
    ['GET', `/${id}/metadata`],
  ];
  const writes = (id: string): [string, string, object?][] => routes(id).filter(([method]) => method !== 'GET');

  it('returns 401 without a session, also with a key', async () => {
    const { id } = await acme.oidc(provider);
    const key = await make.key(owner);
    for (const [method, rest, body] of routes(id))
      expect(codeOf(await acme.call(method, rest, body, key))).toEqual([401, 'session_required']);
  });

  it('returns 403 to members and viewers', async () => {
    const { id } = await acme.oidc(provider);
    for (const role of ['member', 'viewer'] as const) {
      const person = await make.person();
      await make.member(acme.org, person, role);
      for (const [method, rest, body] of routes(id))
        expect(codeOf(await acme.call(method, rest, body, person))).toEqual([403, 'insufficient_scopes']);
    }
  });

  it('returns the same 404 for the organization of others and for none', async () => {
    const { id } = await acme.oidc(provider);
    const another = await make.person();
    for (const [method, rest, body] of routes(id))
      expect(codeOf(await acme.call(method, rest, body, another))).toEqual([404, 'organization_not_found']);
  });

  it('returns the same 404 for the connection of another organization and for none', async () => {
    const foreign = await (await ConnectionTenant.create(app, make)).oidc(provider);
    for (const [index, [method, rest, body]] of routes(foreign.id as string).entries()) {
      if (rest === '') continue;
      const missing = routes(ABSENT)[index]!;
      const answer = await acme.call(method, rest, body);
      expect(codeOf(answer)).toEqual([404, 'sso_connection_not_found']);
      expect(answer.body.error).toEqual((await acme.call(...missing)).body.error);
    }
  });

  it('returns 401 to writes whose sign-in was too long ago', async () => {
    const { id } = await acme.oidc(provider);
    const admin = await make.person();
    await make.member(acme.org, admin, 'admin');
    await make.sql(`UPDATE sessions SET authenticated_at = now() - interval '16 minutes' WHERE user_id = $1`, [
      admin.user.id,
    ]);
    for (const [method, rest, body] of writes(id))
      expect(codeOf(await acme.call(method, rest, body, admin))).toEqual([401, 'recent_sign_in_required']);
    expect((await acme.call('GET', `/${id}`, undefined, admin)).status).toBe(200);
  });

  it('returns 403 in a plan without SSO, but for reading, pausing and deleting', async () => {
    const { id } = await acme.oidc(provider);
    await make.plan(acme.org.id, 'pro');
    const ending = [`POST /${id}/pause`, `DELETE /${id}`];
    for (const [method, rest, body] of writes(id)) {
      if (ending.includes(`${method} ${rest}`)) continue;
      expect(codeOf(await acme.call(method, rest, body))).toEqual([403, 'feature_not_in_plan']);
    }
    for (const [method, rest] of [
      ['GET', `/${id}`],
      ['POST', `/${id}/pause`],
    ] as const)
      expect((await acme.call(method, rest)).status).toBe(200);
    expect((await acme.call('DELETE', `/${id}`)).status).toBe(204);
  });

  it('lets admins set up and test, and owners alone activate it or change who people are in it', async () => {
    const admin = await make.person();
    await make.member(acme.org, admin, 'admin');
    const { id } = expectStatus(201, await acme.call('POST', '', oidcBody(provider), admin)).body.data;
    expectStatus(200, await acme.test({ id }, provider, { sub: uniqueName('sub') }, admin));
    // An administrator could come in as an owner through a connection that says so.
    const refused = [403, 'insufficient_scopes'];
    expect(codeOf(await acme.call('POST', `/${id}/activate`, undefined, admin))).toEqual(refused);
    expectStatus(200, await acme.call('POST', `/${id}/activate`));
    const mapping = { subject: 'login' };
    const oidc = { client_id: 'another', client_secret: 'another secret' };
    for (const body of [{ mapping }, { oidc }])
      expect(codeOf(await acme.call('PATCH', `/${id}`, body, admin))).toEqual(refused);
    expectStatus(200, await acme.call('PATCH', `/${id}`, { name: 'Renamed', jit: false }, admin));
    expect(expectStatus(200, await acme.call('PATCH', `/${id}`, { mapping })).body.data.status).toBe('draft');
  });
});

describe('PATCH /orgs/:id/sso/connections/:id', () => {
  it('changes what it is given, and keeps the rest and the status', async () => {
    const connection = await acme.active(provider);
    const change = { name: 'Keycloak', jit: false, default_role: 'viewer', mapping: { groups: 'roles' } };
    const after = expectStatus(200, await acme.call('PATCH', `/${connection.id}`, change)).body.data;
    expect(after).toEqual({ ...connection, ...change, updated_at: expect.any(String) });
    expect((await acme.audit(connection.id)).at(-1)).toMatchObject({
      action: 'sso_connection.changed',
      details: { fields: ['defaultRole', 'jit', 'mapping', 'name'] },
    });
  });

  it.each<[string, object]>([
    ['secret', { oidc: { client_secret: 'another-secret' } }],
    ['client', { oidc: { client_id: 'another-client' } }],
    ['claim of the address', { mapping: { email: 'upn' } }],
    ['claim of the subject', { mapping: { subject: 'oid' } }],
  ])('makes an active connection a draft with another %s', async (_, change) => {
    const connection = await acme.active(provider);
    const after = expectStatus(200, await acme.call('PATCH', `/${connection.id}`, change)).body.data;
    expect(after).toMatchObject({ status: 'draft' });
    expect(after.tested_at).toBeUndefined();
    expect(codeOf(await acme.call('POST', `/${connection.id}/activate`))).toEqual([409, 'connection_not_tested']);
    expect(codeOf(await acme.beginSignIn({ org: acme.org.slug }))).toEqual([404, 'sso_connection_not_found']);
  });

  it('forgets people when subjects may be others, and keeps them with another secret', async () => {
    const connection = await acme.active(provider);
    const identities = (): Promise<unknown[]> =>
      make.sql('SELECT 1 FROM identities WHERE issuer = $1', [connection.id]);
    expectStatus(200, await acme.call('PATCH', `/${connection.id}`, { oidc: { client_secret: 'another' } }));
    expect(await identities()).toHaveLength(1);
    expectStatus(200, await acme.call('PATCH', `/${connection.id}`, { mapping: { subject: 'oid' } }));
    expect(await identities()).toHaveLength(0);
  });

  it('never sends the stored secret to another issuer', async () => {
    const { id } = await acme.oidc(provider);
    const answer = await acme.call('PATCH', `/${id}`, { oidc: { issuer: 'https://idp.example.com' } });
    expect(faultOf(answer)).toEqual([400, 'oidc.client_secret', 'is_needed']);
  });

  it('ends a test that began before the change', async () => {
    const connection = await acme.oidc(provider);
    const flow = await acme.beginTest(connection);
    expectStatus(200, await acme.call('PATCH', `/${connection.id}`, { oidc: { client_secret: 'another' } }));
    expect(codeOf(await app.fetch(flow.path))).toEqual([400, 'invalid_flow']);
  });

  it('goes on with a certificate that was added, and not with all others', async () => {
    const [first, second] = [idp.certificate, (await FakeSamlIdp.create()).certificate];
    const typed = { entity_id: idp.entityId, sso_url: idp.ssoUrl };
    const { id } = await acme.saml({ ...typed, certificates: [first] });
    await make.sql(
      `UPDATE sso_connections SET status = 'active', tested_at = now(), activated_at = now() WHERE id = $1`,
      [id],
    );
    const with_ = async (certificates: string[]): Promise<string> =>
      expectStatus(200, await acme.call('PATCH', `/${id}`, { saml: { ...typed, certificates } })).body.data.status;
    expect(await with_([first, second])).toBe('active');
    expect(await with_([second])).toBe('active');
    expect(await with_([first])).toBe('draft');
  });

  it('returns 400 for what belongs to the other type', async () => {
    const { id } = await acme.oidc(provider);
    const answer = await acme.call('PATCH', `/${id}`, { saml: { metadata_xml: idp.metadata() } });
    expect(faultOf(answer)).toEqual([400, 'saml', 'is_of_type']);
  });
});

describe('activating and pausing', () => {
  it('needs a test, then a verified domain', async () => {
    const tenant = await ConnectionTenant.create(app, make, { isVerified: false });
    const { id } = await tenant.oidc(provider);
    expect(codeOf(await tenant.call('POST', `/${id}/activate`))).toEqual([409, 'connection_not_tested']);
    expectStatus(200, await tenant.test({ id }, provider, { sub: uniqueName('sub') }));
    expect(codeOf(await tenant.call('POST', `/${id}/activate`))).toEqual([409, 'domain_not_verified']);
    await tenant.verifyDomain();
    expect((await tenant.call('POST', `/${id}/activate`)).body.data.status).toBe('active');
    expect((await tenant.call('POST', `/${id}/activate`)).body.data.status).toBe('active');
    expect(await tenant.actions(id)).toEqual([
      'sso_connection.created',
      'sso_connection.tested',
      'sso_connection.activated',
    ]);
  });

  it('tells the organization which connections are active', async () => {
    const [one, other] = [await acme.active(provider), await acme.active(provider)];
    const known = async (): Promise<string[]> =>
      (await make.sql('SELECT sso_connections FROM organizations WHERE id = $1', [acme.org.id]))[0]!['sso_connections'];
    expect(await known()).toEqual([one.id, other.id].sort());
    const paused = expectStatus(200, await acme.call('POST', `/${one.id}/pause`)).body.data;
    expect(paused).toMatchObject({ status: 'paused', paused_reason: 'by_member' });
    expect(await known()).toEqual([other.id]);
    expect((await acme.call('POST', `/${one.id}/activate`)).body.data).not.toHaveProperty('paused_reason');
    expect((await acme.call('DELETE', `/${other.id}`)).status).toBe(204);
    expect(await known()).toEqual([one.id]);
  });

  it('leaves drafts as they are when they are paused', async () => {
    const { id } = await acme.oidc(provider);
    expect((await acme.call('POST', `/${id}/pause`)).body.data.status).toBe('draft');
  });

  it.each(['pause', 'delete', 'change'] as const)(
    'lifts the requirement of SSO at the %s of the last connection, by an owner alone',
    async (way) => {
      const connection = await acme.active(provider);
      await acme.openSession(connection, owner);
      await make.sql('UPDATE organizations SET sso_required = true WHERE id = $1', [acme.org.id]);
      const admin = await make.person();
      await make.member(acme.org, admin, 'admin');
      await acme.openSession(connection, admin);
      await make.raiseEpochOf(owner);
      const end = (by: Person): Promise<Answer> => {
        if (way === 'delete') return acme.call('DELETE', `/${connection.id}`, undefined, by);
        if (way === 'pause') return acme.call('POST', `/${connection.id}/pause`, undefined, by);
        return acme.call('PATCH', `/${connection.id}`, { oidc: { client_secret: 'another' } }, by);
      };
      expect(codeOf(await end(admin))).toEqual([403, 'insufficient_scopes']);
      expect(await acme.status(connection)).toBe('active');
      expect((await end(owner)).status).toBeLessThan(300);
      const [{ sso_required: isRequired }] = (await make.sql('SELECT sso_required FROM organizations WHERE id = $1', [
        acme.org.id,
      ])) as [{ sso_required: boolean }];
      expect(isRequired).toBe(false);
      expect((await acme.audit(acme.org.id)).at(-1)).toMatchObject({
        action: 'org.policy_changed',
        details: { sso_required: false },
      });
      const mail = await mailTo(app, owner.user.email, 'no longer required');
      expect(mail.text).toContain('enter without SSO');
    },
  );
});

describe('DELETE /orgs/:id/sso/connections/:id', () => {
  it('removes identities, ends sessions that came through the connection, and lets nobody in', async () => {
    const connection = await acme.active(provider);
    const member = await make.person();
    await make.sql(
      `INSERT INTO identities (id, user_id, provider, issuer, subject, name, created_at)
       VALUES ($1, $2, 'sso', $3, 'member', 'member', now())`,
      [`idn_${uniqueName('x')}`, member.user.id, connection.id],
    );
    await acme.openSession(connection, member);
    expect((await acme.call('DELETE', `/${connection.id}`)).status).toBe(204);
    expect((await app.fetch('/api/v1/me/identities', as(member))).status).toBe(401);
    expect((await app.fetch('/api/v1/me/identities', as(owner))).body.data).toEqual([]);
    expect(codeOf(await acme.call('GET', `/${connection.id}`))).toEqual([404, 'sso_connection_not_found']);
    expect(codeOf(await acme.beginSignIn({ org: acme.org.id }))).toEqual([404, 'sso_connection_not_found']);
    expect((await acme.audit(connection.id)).at(-1)).toMatchObject({
      action: 'sso_connection.deleted',
      details: { people_forgotten: 2 },
    });
  });
});

describe('the end of a plan, and of an organization', () => {
  it('pauses active connections without SSO in the plan, tells owners, and activates nothing afterwards', async () => {
    const tenant = await ConnectionTenant.create(app, make);
    const connection = await tenant.active(provider);
    const draft = await tenant.oidc(provider);
    await make.sql('UPDATE organizations SET sso_required = true WHERE id = $1', [tenant.org.id]);
    await make.plan(tenant.org.id, 'pro');
    const rows = (): Promise<any[]> =>
      make.sql('SELECT id, status, paused_reason FROM sso_connections WHERE org_id = $1 ORDER BY id', [tenant.org.id]);
    await eventually(async () => (await rows())[0].status === 'paused', 'the connection is paused', 15_000);
    expect(await rows()).toEqual([
      { id: connection.id, status: 'paused', paused_reason: 'plan' },
      { id: draft.id, status: 'draft', paused_reason: null },
    ]);
    const [org] = await make.sql('SELECT sso_required, sso_connections FROM organizations WHERE id = $1', [
      tenant.org.id,
    ]);
    expect(org).toEqual({ sso_required: false, sso_connections: [] });
    expect((await mailTo(app, tenant.owner.user.email, 'was paused')).text).toContain('no longer includes SSO');
    await make.plan(tenant.org.id, 'enterprise');
    expect(expectStatus(200, await tenant.call('GET', `/${connection.id}`)).body.data).toMatchObject({
      status: 'paused',
      paused_reason: 'plan',
    });
    expect((await tenant.call('POST', `/${connection.id}/activate`)).body.data.status).toBe('active');
  });

  it('deletes the connections of a deleted organization', async () => {
    const tenant = await ConnectionTenant.create(app, make);
    const { id } = await tenant.active(provider);
    expectStatus(204, await app.call('DELETE', `/api/v1/orgs/${tenant.org.id}`, as(tenant.owner)));
    const left = (): Promise<unknown[]> =>
      make.sql('SELECT id FROM sso_connections WHERE id = $1 UNION ALL SELECT id FROM identities WHERE issuer = $1', [
        id,
      ]);
    await eventually(async () => (await left()).length === 0, 'the connection is gone', 15_000);
  });
});
