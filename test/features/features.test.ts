import { Client } from 'pg';
import { DeployAdmissionService } from '../../src/modules/deploys/admission/deploy-admission.service.js';
import { OpenFeatureFlags } from '../../src/modules/features/flags/open-feature.provider.js';
import { as, Make } from '../support/make.js';
import { eventually, useApp, WITH_SANDBOX, WITHOUT_PROXY } from '../support/test-app.js';

const TOKEN = 'an-ops-token-for-the-tests';
const AS_OPERATOR = { headers: { authorization: `Bearer ${TOKEN}` } };
const SIGN_UP = { username: 'nobody', email: 'nobody@example.org', password: 'a-long-enough-secret' };

describe('feature flags', () => {
  const app = useApp({
    ...WITH_SANDBOX,
    OPS_TOKEN: TOKEN,
    FEATURE_FLAG_ALLOWLIST: 'sign_ups, anonymous_sandbox,sandbox_executions',
    FEATURE_FLAGS: 'sandbox_executions=on',
  });
  const toggle = (body: object) => app.post('/ops/features', body, AS_OPERATOR);
  const flags = async (): Promise<Record<string, any>> =>
    Object.fromEntries(
      (await app.fetch('/ops/features', AS_OPERATOR)).body.flags.map((flag: { name: string }) => [flag.name, flag]),
    );

  afterEach(async () => {
    for (const name of ['sign_ups', 'anonymous_sandbox']) await toggle({ name, enabled: true });
  });

  it('are returned with their source and whether they can be toggled', async () => {
    const answer = await app.fetch('/ops/features', AS_OPERATOR);
    expect(answer.status).toBe(200);
    expect(answer.body.allowlist).toEqual(['sign_ups', 'anonymous_sandbox', 'sandbox_executions']);
    expect(answer.body.flags).toContainEqual({
      name: 'deploys',
      enabled: true,
      default: true,
      source: 'default',
      allowlisted: false,
      description: expect.any(String),
      version: 0,
    });
    expect(answer.body.flags).toContainEqual(
      expect.objectContaining({ name: 'sandbox_executions', enabled: true, source: 'env', allowlisted: true }),
    );
  });

  it.each([
    ['without a token', {}],
    ['with a wrong one', { headers: { authorization: 'Bearer something-else' } }],
  ])('are refused to %s', async (_, options) => {
    expect((await app.fetch('/ops/features', options)).body.error).toMatchObject({
      status: 401,
      code: 'invalid_token',
    });
    expect((await app.post('/ops/features', { name: 'sign_ups', enabled: false }, options)).body.error).toMatchObject({
      status: 401,
      code: 'invalid_token',
    });
    expect((await flags())['sign_ups'].enabled).toBe(true);
  });

  it('are toggled off and on, with a typed error in between', async () => {
    const answer = await toggle({ name: 'sign_ups', enabled: false, reason: 'too many' });
    expect(answer.body).toEqual({
      flag: expect.objectContaining({
        name: 'sign_ups',
        enabled: false,
        source: 'database',
        updatedBy: 'operator',
        updatedAt: expect.any(String),
      }),
      previous: true,
      auditId: expect.stringMatching(/^aud_/),
    });
    expect((await app.post('/api/v1/auth/sign-up', SIGN_UP)).body.error).toMatchObject({
      status: 403,
      code: 'feature_disabled',
      type: 'authorization_error',
      details: { feature: 'sign_ups' },
    });

    await toggle({ name: 'sign_ups', enabled: true });
    expect((await app.post('/api/v1/auth/sign-up', SIGN_UP)).status).toBe(201);
  });

  it('turn the anonymous sandbox off', async () => {
    await toggle({ name: 'anonymous_sandbox', enabled: false });
    const answer = await app.post('/api/v1/sandbox/try', { language: 'python', code: '1' });
    expect(answer.body.error).toMatchObject({ status: 403, code: 'feature_disabled' });
    expect(answer.headers.get('x-service-calls-remaining')).toBe('1000');
  });

  it('can be toggled only when the allowlist names them', async () => {
    const answer = await toggle({ name: 'deploys', enabled: false });
    expect(answer.body.error).toMatchObject({
      status: 403,
      code: 'flag_not_allowlisted',
      details: { name: 'deploys' },
    });
    expect((await flags())['deploys']).toMatchObject({ enabled: true, version: 0 });
  });

  it.each([
    [{ name: 'no_such_flag', enabled: true }, 404, 'flag_not_found'],
    [{ name: 'toString', enabled: true }, 404, 'flag_not_found'],
    [{ name: 'sandbox_executions', enabled: false }, 409, 'flag_fixed'],
    [{ name: 'sign_ups' }, 400, 'invalid_request'],
    [{ name: 'sign_ups', enabled: 'no' }, 400, 'invalid_request'],
    [{ enabled: true }, 400, 'invalid_request'],
    [{ name: 'sign_ups', enabled: false, expectedVersion: -1 }, 400, 'invalid_request'],
  ])('return for %j status %i and code %s', async (body, status, code) => {
    expect((await toggle(body)).body.error).toMatchObject({ status, code });
  });

  it('return 409 for an outdated version', async () => {
    const { version } = (await toggle({ name: 'sign_ups', enabled: false })).body.flag;
    expect((await toggle({ name: 'sign_ups', enabled: true, expectedVersion: version - 1 })).body.error).toMatchObject({
      status: 409,
      code: 'stale_version',
      details: { version },
    });
    expect((await toggle({ name: 'sign_ups', enabled: true, expectedVersion: version })).status).toBe(200);
  });

  it('accept one of concurrent requests with the same version', async () => {
    const { version } = (await flags())['sign_ups'];
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => toggle({ name: 'sign_ups', enabled: false, expectedVersion: version })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
  });

  it('record who toggled what, when, why and with which request', async () => {
    const answer = await app.call('POST', '/ops/features', {
      headers: { ...AS_OPERATOR.headers, 'content-type': 'application/json', 'x-request-id': 'toggled-by-hand' },
      body: JSON.stringify({ name: 'sign_ups', enabled: false, reason: 'spam' }),
    });
    const database = new Client({ connectionString: app.config.databaseUrl });
    await database.connect();
    const { rows } = await database.query(
      'SELECT name, previous, enabled, reason, request_id FROM feature_flag_changes WHERE id = $1',
      [answer.body.auditId],
    );
    await database.end();
    expect(rows).toEqual([
      { name: 'sign_ups', previous: true, enabled: false, reason: 'spam', request_id: 'toggled-by-hand' },
    ]);
  });

  it('are exported as metrics with their age', async () => {
    const { text } = await app.fetch('/metrics');
    expect(text).toMatch(/^feature_flag_enabled\{flag="sign_ups"\} 1$/m);
    expect(Number(/^feature_flag_sync_age_seconds (\S+)$/m.exec(text)?.[1])).toBeLessThan(30);
  });

  it("reach other processes, also after the listener's connection was killed", async () => {
    const other = await app.another();
    const database = new Client({ connectionString: app.config.databaseUrl });
    await database.connect();
    try {
      const seenBy = async (enabled: boolean): Promise<void> => {
        await eventually(
          async () =>
            (await other.post('/api/v1/auth/sign-up', { ...SIGN_UP, username: '-' })).status === (enabled ? 400 : 403),
          `sign-ups ${String(enabled)}`,
        );
      };
      await toggle({ name: 'sign_ups', enabled: false });
      await seenBy(false);

      const { rowCount } = await database.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE application_name = 'service-platform-listener' AND datname = current_database()`,
      );
      expect(rowCount).toBe(2);
      await toggle({ name: 'sign_ups', enabled: true });
      await seenBy(true);
    } finally {
      await database.end();
      await other.stop();
    }
  });

  it('implement the standard OpenFeature API', async () => {
    const client = await app.get(OpenFeatureFlags).client();
    expect(await client.getBooleanValue('sign_ups', false)).toBe(true);
    await toggle({ name: 'sign_ups', enabled: false });
    expect(await client.getBooleanDetails('sign_ups', true)).toMatchObject({ value: false, reason: 'STATIC' });
    expect(await client.getBooleanDetails('no_such_flag', true)).toMatchObject({
      value: true,
      errorCode: 'FLAG_NOT_FOUND',
    });
    expect(await client.getStringDetails('sign_ups', 'x')).toMatchObject({ value: 'x', errorCode: 'TYPE_MISMATCH' });
  });
});

describe('the flag deploys', () => {
  const app = useApp({ FEATURE_FLAG_ALLOWLIST: 'deploys', OPS_TOKEN: TOKEN }, 'api');
  const make = new Make(app);

  it('rejects new deploys and holds queued ones', async () => {
    const key = await make.key(await make.person());
    const { id } = (
      await app.post(
        '/api/v1/projects',
        { name: 'Shop', repo_url: 'https://no-such-host.example.com/acme/shop' },
        as(key),
      )
    ).body.data;
    const request = () => app.post(`/api/v1/projects/${id as string}/deploys`, { branch: 'main' }, as(key));
    const waiting = (await request()).body.data.id as string;
    const stateOf = async (): Promise<string> =>
      (await app.fetch(`/api/v1/deploys/${waiting}`, as(key))).body.data.state as string;

    await app.post('/ops/features', { name: 'deploys', enabled: false }, AS_OPERATOR);
    expect((await request()).body.error).toMatchObject({
      status: 403,
      code: 'feature_disabled',
      details: { feature: 'deploys' },
    });

    const worker = await app.another({ role: 'worker' });
    try {
      expect(await worker.get(DeployAdmissionService).run()).toBe(0);
      expect(await stateOf()).toBe('queued');
      await app.post('/ops/features', { name: 'deploys', enabled: true }, AS_OPERATOR);
      // There is no such host.
      await eventually(async () => (await stateOf()) === 'error', 'the deploy has begun and failed', 30_000);
    } finally {
      await worker.stop();
    }
  }, 60_000);
});

describe('feature flags without OPS_TOKEN', () => {
  const app = useApp(WITHOUT_PROXY);

  it('are readable on this machine and cannot be toggled', async () => {
    expect((await app.fetch('/ops/features', { direct: true })).status).toBe(200);
    expect(
      (await app.post('/ops/features', { name: 'sign_ups', enabled: false }, { direct: true })).body.error,
    ).toMatchObject({ status: 403, code: 'flag_not_allowlisted' });
    expect((await app.post('/api/v1/auth/sign-up', SIGN_UP)).status).toBe(201);
  });
});
