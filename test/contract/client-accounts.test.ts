import { type Account, client, signUpWithKey } from '../support/built-client.js';
import { useFaultProxy } from '../support/fault-proxy.js';
import { Make } from '../support/make.js';
import { callMcp, OAuthFlow } from '../support/oauth.js';
import { useApp, WITH_SANDBOX } from '../support/test-app.js';
import { totpOf } from '../support/totp.js';

const { AuthenticationError, AuthorizationError, ConflictError, InsufficientCreditsError, NotFoundError, Service } =
  client;

describe('the built client with an account', () => {
  const app = useApp({ ...WITH_SANDBOX, ANONYMOUS_CALLS_PER_SECOND: '1000' });
  const proxy = useFaultProxy(() => app.url);
  let account: Account;
  let service: InstanceType<typeof Service>;

  beforeAll(async () => {
    account = await signUpWithKey(app.url);
  });
  beforeEach(() => {
    service = new Service({ apiKey: account.apiKey, baseUrl: proxy.url });
  });

  it('returns the caller for a key and for a session', async () => {
    expect(await service.me.get()).toMatchObject({
      user: { username: account.username },
      credential: { type: 'api_key' },
    });
    const person = new Service({ sessionToken: account.sessionToken, baseUrl: proxy.url });
    expect(await person.me.get()).toMatchObject({
      organization: { id: account.organizationId, role: 'owner' },
      credential: { type: 'session' },
    });
  });

  it('sets up a second factor, signs in with it and confirms the session', async () => {
    const { username, password, sessionToken } = await signUpWithKey(app.url);
    const { auth } = new Service({ sessionToken, baseUrl: proxy.url });
    const { secret, id } = await auth.beginTotp();
    const { recovery_codes: codes = [] } = await auth.confirmTotp(totpOf(secret));
    expect(codes).toHaveLength(10);
    expect(await auth.factors()).toMatchObject({ factors: [{ id, type: 'totp' }], recovery_codes_left: 10 });

    const anonymous = new Service({ anonymous: true, baseUrl: proxy.url });
    const error = await anonymous.auth.signIn({ login: username, password }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error).toMatchObject({ code: 'second_factor_required', details: { methods: ['totp', 'recovery_code'] } });
    const { token } = (error as { details: { token: string } }).details;
    const { session_token: opened } = await anonymous.auth.secondFactor({ token, code: codes[0]! });
    expect(opened).toMatch(/^svc_sess_/);

    expect(await auth.confirmSession({ code: codes[1]! })).toEqual({ confirmed: true });
    expect((await auth.renewRecoveryCodes()).recovery_codes).toHaveLength(10);
    expect((await auth.newPasskeyOptions()).options).toMatchObject({ attestation: 'none' });
    await expect(auth.addPasskey({ name: 'x', passkey: {} })).rejects.toMatchObject({ code: 'invalid_factor' });
    expect((await anonymous.auth.passkeyOptions()).options).toMatchObject({ userVerification: 'required' });
    await expect(anonymous.auth.signInWithPasskey({})).rejects.toMatchObject({ code: 'invalid_factor' });
    await expect(anonymous.auth.recoverFactors(token)).rejects.toMatchObject({ code: 'invalid_flow' });
    await auth.removeFactor(id);
    expect((await anonymous.auth.signIn({ login: username, password })).session_token).toBeDefined();
  });

  it('throws an AuthenticationError with the code for an invalid key', async () => {
    const outsider = new Service({ apiKey: 'svc_pat_nonsense', baseUrl: proxy.url });
    const error = await outsider.me.get().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error).toMatchObject({ status: 401, type: 'auth_error', code: 'malformed_api_key' });
  });

  it('throws an AuthenticationError on the next call after a key was rotated or revoked', async () => {
    const key = await service.keys.create({ name: 'short-lived', kind: 'personal', preset: 'read_only' });
    const holder = new Service({ apiKey: key.secret, baseUrl: proxy.url });
    await holder.me.get();
    const rotated = await service.keys.rotate(key.id);
    await expect(holder.me.get()).rejects.toMatchObject({ name: 'AuthenticationError', code: 'rotated_api_key' });

    const next = new Service({ apiKey: rotated.secret, baseUrl: proxy.url });
    expect((await next.keys.current()).id).toBe(key.id);
    await service.keys.revoke(key.id);
    await expect(next.me.get()).rejects.toMatchObject({ name: 'AuthenticationError', code: 'revoked_api_key' });
  });

  it('throws an InsufficientCreditsError with a link to the plans, and does not retry', async () => {
    // A further organization has no credits of its own.
    const org = await service.orgs.create({ name: 'Without credits' });
    const { secret } = await service.keys.create({ name: 'there', kind: 'org_bound', org_id: org.id, preset: 'full' });
    const poor = new Service({ apiKey: secret, baseUrl: proxy.url });
    proxy.reset();
    const error = await poor.sandbox.run({ language: 'python', code: 'print(1)' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InsufficientCreditsError);
    expect(error).toMatchObject({
      status: 402,
      type: 'insufficient_credits_error',
      code: 'credits_exhausted',
      upgradeUrl: 'http://api.test/pricing',
      details: { required: '0.000833334', available: '0' },
      docsUrl: 'http://api.test/docs/errors/credits_exhausted',
    });
    expect(proxy.seen).toHaveLength(1);
    expect((await service.sandbox.run({ language: 'python', code: 'print(1)' })).cost).toMatch(/^0\.0+[1-9]/);
  });

  it('throws an AuthorizationError that names the missing scope', async () => {
    const { secret } = await service.keys.create({ name: 'narrow', kind: 'personal', scopes: ['keys:read'] });
    const narrow = new Service({ apiKey: secret, baseUrl: proxy.url });
    const error = await narrow.keys
      .create({ name: 'wide', kind: 'personal', preset: 'full' })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AuthorizationError);
    expect(error).toMatchObject({
      code: 'insufficient_scopes',
      details: { missing_scopes: expect.arrayContaining(['keys:write']) },
    });
    expect(await narrow.auth.explain({ method: 'POST', path: '/api/v1/keys' })).toMatchObject({
      allowed: false,
      code: 'insufficient_scopes',
    });
  });

  it('throws a NotFoundError and a ConflictError', async () => {
    await expect(service.keys.get('key_01jd3m8yeqf5rb0xkq5ym8s6tn')).rejects.toBeInstanceOf(NotFoundError);
    const anonymous = new Service({ anonymous: true, baseUrl: proxy.url });
    const again = { username: account.username, email: 'other@example.com', password: account.password };
    await expect(anonymous.auth.signUp(again)).rejects.toBeInstanceOf(ConflictError);
  });

  it('creates one key when a lost response is retried under the same idempotency key', async () => {
    proxy.reset({ kind: 'lose-answer' });
    const input = { name: 'only-once', kind: 'personal', preset: 'read_only' } as const;
    await expect(service.keys.create(input, { idempotencyKey: 'only-once-1' })).rejects.toThrow('fetch failed');
    const key = await service.keys.create(input, { idempotencyKey: 'only-once-1' });
    const named = [];
    for await (const { id, name } of service.keys.list()) if (name === input.name) named.push(id);
    expect(named).toEqual([key.id]);
  });

  it('changes nothing with dryRun', async () => {
    await service.keys.create({ name: 'never-made', kind: 'personal', preset: 'read_only' }, { dryRun: true });
    const names = [];
    for await (const { name } of service.keys.list()) names.push(name);
    expect(names).not.toContain('never-made');
  });

  it('iterates over a list page by page', async () => {
    for (const name of ['one', 'two', 'three'])
      await service.keys.create({ name: `page-${name}`, kind: 'personal', preset: 'read_only' });
    const all = (await service.keys.list({ limit: 100 })).data.map(({ id }) => id);
    proxy.reset();
    const seen: string[] = [];
    for await (const { id } of service.keys.list({ limit: 2 })) seen.push(id);
    expect(seen).toEqual(all);
    expect(proxy.seen).toHaveLength(Math.ceil(all.length / 2));
  });

  it('runs code on the account', async () => {
    expect(await service.sandbox.run({ language: 'python', code: 'print(6 * 7)' })).toMatchObject({
      status: 'succeeded',
      stdout: '42\n',
      exit_code: 0,
    });
  });

  it('lists the plans', async () => {
    expect(
      (await new Service({ anonymous: true, baseUrl: proxy.url }).billing.plans()).data.map(({ id }) => id),
    ).toEqual(['free', 'builder', 'pro', 'enterprise']);
  });

  it('lists and ends what was granted to OAuth clients, also within an organization', async () => {
    const make = new Make(app);
    const person = await make.person();
    const org = await make.org(person);
    const connected = new Service({ apiKey: await make.key(person), baseUrl: proxy.url });
    const tokens = await new OAuthFlow(app).connect(person, { orgs: [person.organization.id, org.id] });
    const [grant] = (await connected.grants.list()).data;
    expect(grant).toMatchObject({ client_name: 'Tool of a test', scopes: ['projects:read'] });
    const { id } = grant!;
    expect((await connected.orgs.grants(org.slug)).data).toMatchObject([{ id, user: { id: person.user.id } }]);
    await connected.orgs.endGrant(org.slug, id);
    expect((await connected.grants.get(id)).org_ids).toEqual([person.organization.id]);
    expect((await callMcp(app, tokens.access_token)).status).toBe(200);
    await connected.grants.end(id);
    expect((await connected.grants.list()).data).toEqual([]);
    expect((await callMcp(app, tokens.access_token)).status).toBe(401);
    await expect(connected.orgs.endGrant(org.slug, id)).rejects.toBeInstanceOf(NotFoundError);
  });

  it('accepts organizations by id and by slug', async () => {
    const organization = await service.orgs.create({ name: 'Acme of tests' });
    expect((await service.orgs.get(organization.slug)).id).toBe(organization.id);
    expect((await service.orgs.members(organization.id)).data).toMatchObject([
      { user: { username: account.username }, role: 'owner' },
    ]);
    expect((await service.me.get({ organization: organization.slug })).organization.id).toBe(organization.id);
    expect((await service.orgs.auditLog(organization.id)).data.length).toBeGreaterThan(0);
    await service.orgs.delete(organization.id);
    await expect(service.orgs.get(organization.id)).rejects.toBeInstanceOf(NotFoundError);
  });
});
