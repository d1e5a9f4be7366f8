import { generateKeyPairSync } from 'node:crypto';
import { type BegunFlow, FakeBrowser, locationOf } from '../support/external-sign-in.js';
import { FakeGoogle, type Forgery } from '../support/fake-google.js';
import { as, expectStatus, Make, type Person } from '../support/make.js';
import { oidcBody, ConnectionTenant } from '../support/connection-tenant.js';
import { type Answer, eventually, useApp } from '../support/test-app.js';

jest.setTimeout(60_000);

const settings: NodeJS.ProcessEnv = {};
const provider = FakeGoogle.useForSso(settings);
const other = FakeGoogle.useForSso(settings);
const app = useApp(settings);
const make = new Make(app);
const codeOf = ({ status, body }: Answer): [number, string] => [status, body.error?.code];

let owner: Person;
let acme: ConnectionTenant;
beforeEach(async () => {
  provider.behave();
  other.behave();
  owner = await make.person();
  acme = await ConnectionTenant.create(app, make, { owner });
});

/** Walks a test to its end. Returns the code, or the error that it returned with. */
async function outcomeOf(flow: BegunFlow, allow: (location: string) => string): Promise<string> {
  const browser = new FakeBrowser(app);
  const returned = await browser.comeBack(allow(await browser.start(flow)));
  return returned.searchParams.get('error') ?? returned.searchParams.get('code')!;
}
const allowed = (location: string): string => provider.authorize(location, { sub: 'ada' });

describe('a test of a connection', () => {
  it('asks the provider by the code flow with PKCE, state and nonce, at the address of the connection', async () => {
    const connection = await acme.oidc(provider);
    const url = new URL(await new FakeBrowser(app).start(await acme.beginTest(connection)));
    expect(`${url.origin}${url.pathname}`).toBe(`${provider.url}/authorize`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: provider.clientId,
      redirect_uri: connection.oidc.redirect_uri,
      scope: 'openid email profile',
      state: expect.any(String),
      nonce: expect.any(String),
      code_challenge: expect.any(String),
      code_challenge_method: 'S256',
    });
  });

  it('connects the identity to the administrator and marks the connection as tested', async () => {
    const connection = await acme.oidc(provider, { mapping: { groups: 'roles' } });
    const person = { sub: 'ada-1', email: `ada@${acme.domain}`, email_verified: true, name: 'Ada Lovelace' };
    const answer = await acme.test(connection, provider, { ...person, roles: ['admins', 'R&D', 5, ''] } as never);
    expect(expectStatus(200, answer).body.data).toEqual({
      ...connection,
      status: 'tested',
      tested_at: expect.any(String),
      identity: {
        subject: 'ada-1',
        name: 'Ada Lovelace',
        email: { address: `ada@${acme.domain}`, verified: true },
        groups: ['admins', 'R&D'],
      },
    });
    expect((await app.fetch('/api/v1/me/identities', as(owner))).body.data).toMatchObject([
      { provider: 'sso', connection_id: connection.id, name: 'Ada Lovelace' },
    ]);
    expect(await acme.actions(connection.id)).toEqual(['sso_connection.created', 'sso_connection.tested']);
    // Again, with the identity that is theirs already.
    expectStatus(200, await acme.test(connection, provider, person));
  });

  it('reads other claims as the mapping says, and believes none of them to be verified', async () => {
    const mapping = { subject: 'oid', email: 'upn', name: 'full_name' };
    const connection = await acme.oidc(provider, { mapping });
    const claims = { sub: 's', oid: 'o-1', upn: 'ada@acme.com', full_name: 'Ada', email_verified: true };
    expect((await acme.test(connection, provider, claims as never)).body.data.identity).toEqual({
      subject: 'o-1',
      name: 'Ada',
      email: { address: 'ada@acme.com', verified: false },
      groups: [],
    });
  });

  it('counts only for the person who began it, for its connection, and once', async () => {
    const [one, another] = [await acme.oidc(provider), await acme.oidc(provider)];
    const admin = await make.person();
    await make.member(acme.org, admin, 'admin');
    const flow = await acme.beginTest(one);
    const code = await new FakeBrowser(app).walk(flow, allowed);
    expect(codeOf(await acme.completeTest(one, flow, code, admin))).toEqual([400, 'invalid_flow']);
    expect(codeOf(await acme.completeTest(another, flow, code))).toEqual([400, 'invalid_flow']);
    expect(codeOf(await acme.completeTest(one, { ...flow, verifier: 'x'.repeat(43) }, code))).toEqual([
      400,
      'invalid_flow',
    ]);
    expect(await acme.status(another)).toBe('draft');
    expectStatus(200, await acme.completeTest(one, flow, code));
    expect(codeOf(await acme.completeTest(one, flow, code))).toEqual([400, 'invalid_flow']);
  });

  it('counts nothing for the same identity of another person', async () => {
    const connection = await acme.oidc(provider);
    expectStatus(200, await acme.test(connection, provider, { sub: 'ada' }));
    const admin = await make.person();
    await make.member(acme.org, admin, 'admin');
    const answer = await acme.test(connection, provider, { sub: 'ada' }, admin);
    expect(codeOf(answer)).toEqual([409, 'already_exists']);
  });

  it('completes no sign-in', async () => {
    const connection = await acme.active(provider, 'ada');
    const test = await acme.beginTest(connection);
    const code = await new FakeBrowser(app).walk(test, allowed);
    const answer = await app.post(`/api/v1/auth/flows/${test.id}/complete`, { code, verifier: test.verifier });
    expect(codeOf(answer)).toEqual([400, 'invalid_flow']);
  });

  it('returns with an error when the provider refuses the code, or does not respond', async () => {
    const connection = await acme.oidc(provider);
    const refused = await outcomeOf(await acme.beginTest(connection), (location) =>
      allowed(location).replace(/code=[^&]+/, 'code=guessed'),
    );
    expect(refused).toBe('provider_refused');
    const unavailable = await outcomeOf(await acme.beginTest(connection), (location) => {
      provider.failure = 503;
      return allowed(location);
    });
    expect(unavailable).toBe('provider_unavailable');
  });
});

describe('POST /auth/flows with sso', () => {
  it('leads to the active connection by an address in a verified domain, and by the organization', async () => {
    const connection = await acme.active(provider);
    for (const wanted of [
      { email: `Ada@${acme.domain.toUpperCase()}` },
      { org: acme.org.slug },
      { org: acme.org.id },
    ]) {
      const { data } = expectStatus(201, await acme.beginSignIn(wanted)).body;
      const location = locationOf(await app.fetch(new URL(data.authorize_url as string).pathname));
      expect(new URL(location).searchParams.get('redirect_uri')).toBe(connection.oidc.redirect_uri);
    }
  });

  it('leads to the connection that was activated last', async () => {
    const [one, another] = [await acme.active(provider), await acme.active(provider)];
    const leadsTo = async (): Promise<string> => {
      const { data } = expectStatus(201, await acme.beginSignIn({ org: acme.org.id })).body;
      const [row] = await make.sql('SELECT connection_id FROM external_sign_ins WHERE id = $1', [data.id]);
      return row!['connection_id'] as string;
    };
    expect(await leadsTo()).toBe(another.id);
    expectStatus(200, await acme.call('POST', `/${one.id}/pause`));
    expectStatus(200, await acme.call('POST', `/${one.id}/activate`));
    expect(await leadsTo()).toBe(one.id);
  });

  it('returns the same 404 for every address and organization without an active connection', async () => {
    const draft = await ConnectionTenant.create(app, make);
    await draft.oidc(provider);
    const paused = await ConnectionTenant.create(app, make);
    expectStatus(200, await paused.call('POST', `/${(await paused.active(provider)).id}/pause`));
    const withoutPlan = await ConnectionTenant.create(app, make);
    await withoutPlan.active(provider);
    // The connections are paused only a moment after the event.
    await make.sql(`UPDATE organizations SET plan = 'pro' WHERE id = $1`, [withoutPlan.org.id]);
    const answers = [
      await acme.beginSignIn({ email: 'ada@gmail.com' }),
      await acme.beginSignIn({ email: `ada@eu.${acme.domain}` }),
      await acme.beginSignIn({ org: 'nobody-has-this-slug' }),
      await draft.beginSignIn({ org: draft.org.id }),
      await draft.beginSignIn({ email: `ada@${draft.domain}` }),
      await paused.beginSignIn({ org: paused.org.slug }),
      await withoutPlan.beginSignIn({ org: withoutPlan.org.slug }),
    ];
    for (const answer of answers) {
      expect(codeOf(answer)).toEqual([404, 'sso_connection_not_found']);
      expect(answer.body.error).toEqual(answers[0]!.body.error);
    }
  });

  it('comes back with a code', async () => {
    await acme.active(provider, 'ada');
    const { data } = expectStatus(201, await acme.beginSignIn({ email: `ada@${acme.domain}` })).body;
    const flow = { id: data.id, path: new URL(data.authorize_url as string).pathname, verifier: '' };
    expect(await outcomeOf(flow, allowed)).toMatch(/^svc_flow_/);
  });
});

describe('what a provider says', () => {
  const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const forgeries: [string, () => Forgery][] = [
    ['is not signed', () => ({ token: (claims) => `${base64({ alg: 'none' })}.${base64(claims)}.` })],
    [
      'is signed with the public key as a secret (HS256)',
      () => ({
        header: { alg: 'HS256' },
        key: Buffer.from(provider.publicKey.export({ type: 'spki', format: 'pem' }).toString()),
      }),
    ],
    ['is signed with another key', () => ({ key: foreign })],
    ['is for another nonce', () => ({ claims: { nonce: 'another' } })],
    ['is of another issuer', () => ({ claims: { iss: other.url } })],
    ['is for another client', () => ({ claims: { aud: 'another', azp: 'another' } })],
    ['is for several clients', () => ({ claims: { aud: [provider.clientId, 'another'], azp: undefined } })],
    ['has expired', () => ({ claims: { exp: Math.floor(Date.now() / 1_000) - 600 } })],
    ['is too old', () => ({ claims: { iat: Math.floor(Date.now() / 1_000) - 3_600 } })],
    ['has no subject', () => ({ claims: { sub: '' } })],
    ['has a subject with a control character', () => ({ claims: { sub: 'ada\u0000' } })],
  ];

  it.each(forgeries)('is refused when it %s', async (_, forgery) => {
    const connection = await acme.oidc(provider);
    provider.forgery = forgery();
    expect(await outcomeOf(await acme.beginTest(connection), allowed)).toBe('provider_refused');
    expect(await acme.status(connection)).toBe('draft');
    expect((await acme.audit(connection.id)).at(-1)).toMatchObject({
      action: 'sso.response_refused',
      target: { type: 'sso_connection' },
      details: { reason: expect.any(String), connection_id: connection.id },
    });
  });

  it('is refused when another issuer than that of the connection answers', async () => {
    const connection = await acme.oidc(provider);
    provider.namedIssuer = other.url;
    expect(await outcomeOf(await acme.beginTest(connection), allowed)).toBe('provider_refused');
  });

  it('is refused when an issuer that names itself does not', async () => {
    provider.metadata = { authorization_response_iss_parameter_supported: true };
    const connection = await acme.oidc(provider);
    provider.namedIssuer = undefined;
    expect(await outcomeOf(await acme.beginTest(connection), allowed)).toBe('provider_refused');
  });

  it('ends no sign-in of another connection (mix-up, swapped state)', async () => {
    const [one, another] = [await acme.oidc(provider), await acme.oidc(other)];
    const browser = new FakeBrowser(app);
    const flow = await acme.beginTest(one);
    const back = new URL(allowed(await browser.start(flow)));
    // The other provider sends its code to its own address, with the state that it got to know.
    const swapped = `/sign-in/sso/${another.id}/callback${back.search}`;
    expect((await browser.open(swapped)).status).toBe(400);
    const google = `/sign-in/callback/google${back.search}`;
    expect((await browser.open(google)).status).toBeGreaterThanOrEqual(400);
    expect(await browser.comeBack(back.href)).toBeInstanceOf(URL);
  });

  it('counts once: the same answer again is refused', async () => {
    const connection = await acme.oidc(provider);
    const browser = new FakeBrowser(app);
    const back = allowed(await browser.start(await acme.beginTest(connection)));
    await browser.comeBack(back);
    expect((await browser.open(back)).status).toBe(400);
  });

  it('is not finished by another browser', async () => {
    const connection = await acme.oidc(provider);
    const back = allowed(await new FakeBrowser(app).start(await acme.beginTest(connection)));
    const finish = locationOf(await new FakeBrowser(app).open(back));
    expect((await new FakeBrowser(app).open(finish)).status).toBe(400);
  });

  it.each(['https://10.0.0.1/keys', 'https://localhost/keys', 'https://127.0.0.1:9/keys'])(
    'is not believed by keys at %s, whatever the metadata say',
    async (jwks_uri) => {
      provider.metadata = { jwks_uri };
      const connection = await acme.oidc(provider);
      expect(await outcomeOf(await acme.beginTest(connection), allowed)).toBe('provider_unavailable');
    },
  );

  it('cannot name keys by plain HTTP at another origin', async () => {
    provider.metadata = { jwks_uri: `${other.url}/keys` };
    const answer = await acme.call('POST', '', oidcBody(provider));
    expect(answer.body.error).toMatchObject({ code: 'invalid_request', details: [{ code: 'is_readable' }] });
    expect(other.requests).not.toContain('/keys');
  });

  it('cannot lead the secret of the client to another host that the operator allows', async () => {
    provider.metadata = { token_endpoint: `${other.url}/token` };
    const answer = await acme.call('POST', '', oidcBody(provider));
    expect(codeOf(answer)).toEqual([400, 'invalid_request']);
    expect(other.requests).not.toContain('/token');
  });

  it('fills the audit log with a few entries a minute alone', async () => {
    const connection = await acme.oidc(provider);
    provider.forgery = { claims: { nonce: 'another' } };
    for (let n = 0; n < 12; n++) {
      const flow = await acme.beginTest(connection);
      await outcomeOf(flow, allowed);
      await make.sql('UPDATE external_sign_ins SET expires_at = now() WHERE id = $1', [flow.id]);
    }
    const refused = await make.sql(`SELECT 1 FROM audit_log WHERE org_id = $1 AND action = 'sso.response_refused'`, [
      acme.org.id,
    ]);
    expect(refused.length).toBeLessThanOrEqual(11);
    expect(refused.length).toBeGreaterThanOrEqual(10);
  });

  it('is counted by type and result', async () => {
    await acme.active(provider);
    const metrics = (await app.fetch('/metrics')).text;
    expect(metrics).toMatch(/sso_responses_total\{[^}]*type="oidc"[^}]*result="accepted"[^}]*\} [1-9]/);
    expect(metrics).toMatch(/sso_responses_total\{[^}]*type="oidc"[^}]*result="refused"[^}]*\} [1-9]/);
  });
});

describe('a new key of SECRETS_KEY', () => {
  it('re-encrypts secrets of connections', async () => {
    const connection = await acme.oidc(provider);
    const marks = (): Promise<any[]> =>
      make.sql(`SELECT encode(substr(client_secret, 1, 4), 'hex') AS mark FROM sso_connections WHERE id = $1`, [
        connection.id,
      ]);
    const [{ mark: before }] = (await marks()) as [{ mark: string }];
    settings['SECRETS_KEY'] = `9:${'n'.repeat(40)},1:${app.sharedSettings['SECRETS_KEY']}`;
    await app.restart();
    await app.runSchedule('re-encryption');
    await eventually(async () => (await marks())[0].mark !== before, 'the secret is re-encrypted');
    expectStatus(200, await acme.test(connection, provider, { sub: 'ada' }));
  });
});
