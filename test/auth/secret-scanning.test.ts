import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { SignInFlowsService } from '../../src/modules/auth/sign-in-flows.service.js';
import { createToken, TOKEN_KINDS } from '../../src/modules/auth/token-format.js';
import { Database } from '../../src/platform/database/database.js';
import { Clock } from '../../src/platform/time/clock.js';
import { FakeSecretScanner, newKey } from '../support/fake-secret-scanner.js';
import { as, expectStatus, Make, type Person } from '../support/make.js';
import { mailsOf, mailTo } from '../support/mailbox.js';
import { type Answer, useApp } from '../support/test-app.js';

const PLACE = { url: 'https://github.com/octocat/hello-world/blob/123456/config.js', source: 'commit' };
const URL_OF_LEAK = PLACE.url;

const settings: NodeJS.ProcessEnv = {};
const scanner = FakeSecretScanner.use(settings);
const app = useApp(settings);
const make = new Make(app);

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const verdict = (token: string, label: 'true_positive' | 'false_positive'): object => ({
  token_hash: sha256(token),
  token_type: 'service_token',
  label,
});
const found = async (token: string): Promise<unknown> =>
  expectStatus(200, await scanner.report(app, [{ token, ...PLACE }])).body;
const codeOf = ({ status, body }: Answer): [number, string] => [status, body?.error?.code];
const auditOf = async (person: Person, org = person.organization.slug): Promise<any[]> =>
  expectStatus(200, await app.fetch(`/api/v1/orgs/${org}/audit-log?limit=100`, as(person))).body.data;
const me = (token: string): Promise<Answer> => app.fetch('/api/v1/me', as(token));

describe('POST /api/v1/secret-scanning', () => {
  it('revokes a key from the next call on, in every process, and notifies its owner', async () => {
    const ada = await make.person();
    const { data } = expectStatus(201, await app.post('/api/v1/keys', { name: 'ci' }, as(ada))).body;
    const other = await app.another({ role: 'api' });
    expectStatus(200, await other.fetch('/api/v1/me', as(data.secret as string)));
    expectStatus(200, await me(data.secret as string));

    expect(await found(data.secret as string)).toEqual([verdict(data.secret as string, 'true_positive')]);
    expect(codeOf(await me(data.secret as string))).toEqual([401, 'revoked_api_key']);
    expect(codeOf(await other.fetch('/api/v1/me', as(data.secret as string)))).toEqual([401, 'revoked_api_key']);
    await other.stop();

    expect((await auditOf(ada)).find(({ action }) => action === 'key.revoked')).toMatchObject({
      actor: {},
      target: { type: 'api_key', id: data.id },
      details: { reason: 'leaked', ...PLACE },
    });
    const mail = await mailTo(app, ada.user.email, 'in public');
    expect(mail.subject).toBe('Your API key was found in public and revoked');
    expect(mail.text).toContain(`ci (${data.id})`);
    expect(mail.text).toContain(URL_OF_LEAK);
    expect(mail.text).not.toContain(data.secret);
  });

  it('changes nothing and sends nothing when a message is repeated', async () => {
    const ada = await make.person();
    const secret = await make.key(ada);
    const body = JSON.stringify([{ token: secret, type: 'service_token', ...PLACE }]);
    const headers = scanner.headersOf(body);
    const answers = await Promise.all(Array.from({ length: 4 }, () => scanner.send(app, body, headers)));
    answers.push(await scanner.send(app, body, headers));
    for (const answer of answers) expect(expectStatus(200, answer).body).toEqual([verdict(secret, 'true_positive')]);
    await mailTo(app, ada.user.email, 'in public');
    // Another kind of message comes after those that were queued before it.
    await make.key(ada);
    await mailTo(app, ada.user.email, 'API key', 3);
    const mails = mailsOf(app).filter(({ to, subject }) => to === ada.user.email && subject.includes('in public'));
    expect(mails).toHaveLength(1);
    expect((await auditOf(ada)).filter(({ action }) => action === 'key.revoked')).toHaveLength(1);
  });

  it('revokes the keys of all kinds, also when they have expired or were revoked before', async () => {
    const ada = await make.person();
    const org = await make.org(ada);
    const keys = [
      await make.key(ada, { kind: 'select_orgs', org_ids: [org.id] }),
      await make.key(ada, { kind: 'org_bound', org_id: org.id }),
    ];
    const expired = await make.key(ada);
    await make.sql(
      `UPDATE api_keys SET expires_at = now() - interval '1 day' WHERE id = (SELECT max(id) FROM api_keys)`,
    );
    const answer = expectStatus(
      200,
      await scanner.report(
        app,
        [...keys, expired].map((token) => ({ token })),
      ),
    );
    expect(answer.body).toEqual([...keys, expired].map((token) => verdict(token, 'true_positive')));
    for (const key of keys) expect(codeOf(await me(key))).toEqual([401, 'revoked_api_key']);
    const rows = await make.sql('SELECT revoked_at FROM api_keys WHERE user_id = $1', [ada.user.id]);
    expect(rows.filter(({ revoked_at }) => revoked_at === null)).toEqual([]);
    expect((await auditOf(ada, org.id)).filter(({ action }) => action === 'key.revoked')).toHaveLength(2);
  });

  it('ends a replaced secret alone, because the key goes on with another one', async () => {
    const ada = await make.person();
    const { id, secret } = expectStatus(201, await app.post('/api/v1/keys', { name: 'ci' }, as(ada))).body.data;
    const rotated = await app.post(`/api/v1/keys/${id}/rotate`, { grace_seconds: 3_600 }, as(ada));
    const next = expectStatus(200, rotated).body.data.secret as string;
    expectStatus(200, await me(secret as string));

    for (let time = 0; time < 2; time++)
      expect(await found(secret as string)).toEqual([verdict(secret as string, 'true_positive')]);
    expect(codeOf(await me(secret as string))).toEqual([401, 'rotated_api_key']);
    expectStatus(200, await me(next));
    expect((await auditOf(ada)).filter(({ action }) => action === 'key.secret_ended')).toHaveLength(1);
    expect((await mailTo(app, ada.user.email, 'in public')).subject).toMatch(/^An earlier secret/);

    await found(next);
    expect(codeOf(await me(next))).toEqual([401, 'revoked_api_key']);
  });

  it('ends sessions, also by a token that was exchanged', async () => {
    const ada = await make.person();
    const [session, exchanged] = [ada.sessionToken, (await make.person()).sessionToken];
    const rotated = expectStatus(200, await app.post('/api/v1/auth/session/rotate', {}, as(exchanged))).body.data;
    expect(await found(session)).toEqual([verdict(session, 'true_positive')]);
    expect(await found(exchanged)).toEqual([verdict(exchanged, 'true_positive')]);
    for (const token of [session, rotated.session_token as string])
      expect(codeOf(await app.fetch('/api/v1/keys', as(token)))).toEqual([401, 'invalid_session']);
    const mail = await mailTo(app, ada.user.email, 'in public');
    expect(mail.text).toContain(URL_OF_LEAK);
    const signedIn = await app.post('/api/v1/auth/sign-in', { login: ada.user.username, password: ada.password });
    const again = { ...ada, sessionToken: expectStatus(200, signedIn).body.data.session_token as string };
    const ended = (await auditOf(again)).find(({ action }) => action === 'session.ended');
    expect(ended.details).toEqual({ reason: 'leaked' });
  });

  it('ends sessions in cookies', async () => {
    const ada = await make.person();
    const signedIn = await app.post(
      '/api/v1/auth/sign-in',
      { login: ada.user.username, password: ada.password },
      { headers: { 'x-service-session': 'cookie', 'sec-fetch-site': 'same-origin' } },
    );
    const [cookie = ''] = expectStatus(200, signedIn).headers.getSetCookie()[0]!.split(';');
    const token = /svc_web_\w+/.exec(cookie)![0];
    const page = (): Promise<Answer> =>
      app.fetch('/api/v1/keys', {
        headers: { cookie, 'x-service-session': 'cookie', 'sec-fetch-site': 'same-origin' },
      });
    expectStatus(200, await page());
    expect(await found(token)).toEqual([verdict(token, 'true_positive')]);
    expect(codeOf(await page())).toEqual([401, 'invalid_session']);
  });

  it('ends tokens of messages, invitations, sign-ins and deploy hooks', async () => {
    const [ada, grace] = [await make.person(), await make.person()];
    const org = await make.org(ada, { plan: 'builder' });
    const { token: verifying } = await mailTo(app, ada.user.email, 'Verify');
    await app.post(`/api/v1/orgs/${org.id}/members`, { email: grace.user.email, role: 'viewer' }, as(ada));
    const { token: invitation } = await mailTo(app, grace.user.email, 'invites');
    const step = { userId: ada.user.id, method: 'password' } as const;
    const flow = await app.get(Database).transaction(() => app.get(SignInFlowsService).begin(step));
    const key = await make.key(ada, { kind: 'org_bound', org_id: org.id });
    const project = expectStatus(201, await app.post('/api/v1/projects', { name: 'Shop' }, as(key))).body.data;
    const hook = expectStatus(
      201,
      await app.post(`/api/v1/projects/${project.id}/deploy-hooks`, { name: 'cms', branch: 'main' }, as(key)),
    ).body.data;
    const secret = (hook.url as string).split('/').at(-1)!;

    const tokens = [verifying, invitation, flow, secret];
    const answer = expectStatus(
      200,
      await scanner.report(
        app,
        tokens.map((token) => ({ token, ...PLACE })),
      ),
    );
    expect(answer.body).toEqual(tokens.map((token) => verdict(token, 'true_positive')));

    expect(codeOf(await app.post('/api/v1/auth/verify-email', { token: verifying }))).toEqual([
      400,
      'invalid_email_token',
    ]);
    expect(codeOf(await app.post('/api/v1/invitations/accept', { token: invitation }, as(grace)))).toEqual([
      400,
      'invalid_email_token',
    ]);
    expect(codeOf(await app.post('/api/v1/auth/second-factor', { token: flow, code: '123456' }))[1]).toBe(
      'invalid_flow',
    );
    expect(codeOf(await app.post(`/webhooks/deploys/${hook.id}/${secret}`, {}))).toEqual([
      404,
      'deploy_hook_not_found',
    ]);
    const mail = await mailTo(app, ada.user.email, 'in public');
    expect(mail.subject).toBe('Your deploy hook was found in public and deleted');
    const audit = await auditOf(ada, org.id);
    for (const action of ['invitation.revoked', 'deploy_hook.deleted'])
      expect(audit.find((entry) => entry.action === action)).toMatchObject({
        actor: {},
        details: { reason: 'leaked', ...PLACE },
      });
  });

  it('answers false_positive to tokens of nobody and to text that is no token', async () => {
    const nobody = TOKEN_KINDS.map((kind) => createToken(kind, randomBytes(24)));
    const texts = [...nobody, 'svc_pat_mistyped', '', 'ghp_16C7e42F292c6912E7710c838347Ae178B4a', 'x'.repeat(5_000)];
    const answer = expectStatus(
      200,
      await scanner.report(
        app,
        texts.map((token) => ({ token })),
      ),
    );
    expect(answer.body).toEqual(texts.map((token) => verdict(token, 'false_positive')));
    expect(answer.text).not.toContain('svc_');
    expect(answer.headers.get('content-type')).toContain('application/json');
  });

  it('counts what was found, and does not count as a call of anybody', async () => {
    const answer = await scanner.report(app, [{ token: createToken('pat', randomBytes(24)) }]);
    expect(expectStatus(200, answer).headers.get('x-service-tier')).toBeNull();
    const { text } = await app.fetch('/metrics');
    expect(text).toMatch(/secret_scanning_tokens_total\{kind="pat",outcome="ended"\} [1-9]/);
    expect(text).toMatch(/secret_scanning_tokens_total\{kind="pat",outcome="ended_before"\} [1-9]/);
    expect(text).toMatch(/secret_scanning_tokens_total\{kind="other",outcome="unknown"\} [1-9]/);
    expect(text).toMatch(/secret_scanning_reports_total\{result="accepted"\} [1-9]/);
  });

  it('does not repeat a token that is part of an address, and takes no other schemes', async () => {
    const ada = await make.person();
    const [inName, script] = [await make.key(ada, { name: 'one' }), await make.key(ada, { name: 'two' })];
    await scanner.report(app, [
      { token: inName, url: `https://github.com/octocat/hello/blob/1/${inName}.txt?raw=${inName}` },
      { token: script, url: 'javascript:alert(1)', source: 'a\nb' },
    ]);
    const places = (await auditOf(ada))
      .filter(({ action }) => action === 'key.revoked')
      .map(({ details }) => [details.url, details.source] as [string | undefined, string]);
    expect(places).toHaveLength(2);
    expect(places).toContainEqual([undefined, 'unknown']);
    expect(JSON.stringify(places)).toContain('/svc_pat_***');
    expect(JSON.stringify(places)).not.toContain(inName);
  });
});

describe('a message that the scanner did not sign', () => {
  let secret: string;
  const body = (): string => JSON.stringify([{ token: secret, type: 'service_token' }]);

  beforeAll(async () => {
    secret = await make.key(await make.person());
  });

  const refusalOf = async (answer: Answer): Promise<object> => {
    expect(codeOf(answer)).toEqual([401, 'invalid_signature']);
    // It has no effect, whatever it names.
    expectStatus(200, await me(secret));
    return answer.body.error as object;
  };

  it('gets the same answer whatever is wrong, and whether the token exists or not', async () => {
    const [impostor, right] = [newKey(), scanner.headersOf(body())];
    const unknown = JSON.stringify([{ token: createToken('pat', randomBytes(24)), type: 'service_token' }]);
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const ofOtherKind = sign('sha256', Buffer.from(body()), privateKey);
    const withSignature = (signature: string): Record<string, string> => ({
      ...right,
      'github-public-key-signature': signature,
    });
    const refusals = [
      await scanner.send(app, body(), {}),
      await scanner.send(app, body(), withSignature('')),
      await scanner.send(app, body(), withSignature('not base64!')),
      await scanner.send(app, body(), withSignature('A'.repeat(5_000))),
      await scanner.send(app, body(), withSignature(randomBytes(70).toString('base64'))),
      await scanner.send(app, body(), withSignature(ofOtherKind.toString('base64'))),
      await scanner.send(app, body(), { ...right, 'github-public-key-identifier': impostor.identifier }),
      await scanner.send(app, body(), { ...right, 'github-public-key-identifier': '../../etc' }),
      await scanner.send(app, body(), {
        ...scanner.headersOf(body(), impostor),
        'github-public-key-identifier': scanner.key.identifier,
      }),
      await scanner.send(app, body(), scanner.headersOf(body(), impostor)),
      // The bytes are signed, and not their meaning.
      await scanner.send(app, `${body()} `, right),
      await scanner.send(app, unknown, right),
      await scanner.send(app, 'not JSON', right),
    ];
    const errors = await Promise.all(refusals.map(refusalOf));
    for (const error of errors) expect(error).toEqual(errors[0]);
    expect((await app.fetch('/metrics')).text).toMatch(/secret_scanning_reports_total\{result="refused"\} 1[3-9]/);
  });

  it('is refused although the caller has a key or a session', async () => {
    const ada = await make.person();
    for (const token of [ada.sessionToken, await make.key(ada)])
      await refusalOf(await scanner.send(app, body(), { authorization: `Bearer ${token}` }));
  });

  it('does not make the service ask for keys more than once in five minutes', async () => {
    await scanner.report(app, []);
    const before = scanner.fetches;
    const clock = app.get(Clock);
    const now = clock.now.bind(clock);
    let laterMs = 0;
    jest.spyOn(clock, 'now').mockImplementation(() => new Date(now().getTime() + laterMs));
    const withUnknownKey = (): Promise<Answer> => scanner.send(app, body(), scanner.headersOf(body(), newKey()));
    laterMs = 6 * 60_000;
    await Promise.all(Array.from({ length: 10 }, async () => refusalOf(await withUnknownKey())));
    expect(scanner.fetches).toBe(before + 1);
    laterMs = 10 * 60_000;
    await refusalOf(await withUnknownKey());
    expect(scanner.fetches).toBe(before + 1);

    // A new key of the scanner is taken once its list is asked for again, and known keys never wait for that.
    const next = newKey();
    scanner.served = [scanner.key, next, newKey('P-384')];
    laterMs = 12 * 60_000;
    expectStatus(200, await scanner.send(app, '[]', scanner.headersOf('[]', next)));
    expect(scanner.fetches).toBe(before + 2);
    expectStatus(200, await scanner.send(app, '[]', scanner.headersOf('[]')));
    expect(scanner.fetches).toBe(before + 2);

    // A key on another curve is not used, and one that the scanner withdrew ends within a day.
    await refusalOf(await scanner.send(app, body(), scanner.headersOf(body(), scanner.served[2])));
    scanner.served = [next];
    laterMs += 25 * 3_600_000;
    await refusalOf(await scanner.send(app, body(), scanner.headersOf(body())));

    // While the list cannot be read, the keys of before count.
    scanner.failure = { status: 500, body: '' };
    laterMs += 25 * 3_600_000;
    expectStatus(200, await scanner.send(app, '[]', scanner.headersOf('[]', next)));
    jest.restoreAllMocks();
    scanner.failure = undefined;
    scanner.served = [scanner.key];
  });
});

describe('a signed message', () => {
  const signed = (body: string): Promise<Answer> => scanner.send(app, body, scanner.headersOf(body));
  const restarted = async (): Promise<void> => {
    await app.restart();
  };

  beforeAll(restarted);

  it.each([
    ['a broken text', 'malformed_json', '{"token":'],
    ['a deep array', 'malformed_json', `${'['.repeat(20)}${']'.repeat(20)}`],
    ['an object', 'invalid_request', '{"token":"x","type":"y"}'],
    ['null', 'invalid_request', '[null]'],
    ['a bare token', 'invalid_request', '["svc_pat_x"]'],
    ['no type', 'invalid_request', '[{"token":"x"}]'],
    ['a number', 'invalid_request', '[{"token":7,"type":"y"}]'],
    ['10,001 of them', 'invalid_request', `[${Array(10_001).fill('{"token":"x","type":"y"}').join(',')}]`],
  ])('is refused unless it is an array of tokens: %s gets %s', async (_what, code, body) => {
    expect(codeOf(await signed(body))).toEqual([400, code]);
  });

  it('names the field that is wrong', async () => {
    const { body } = await signed('[{"token":"x","type":"y"},{"token":"x","type":1}]');
    expect(body.error.details).toEqual([
      { path: '[1].type', in: 'body', code: 'is_string', message: 'type must be a string' },
    ]);
  });

  it('may have ten thousand tokens, four MiB and no more', async () => {
    const many = Array.from({ length: 10_000 }, () => ({ token: createToken('pat', randomBytes(24)) }));
    const ada = await make.person();
    const secret = await make.key(ada);
    const { body } = expectStatus(200, await scanner.report(app, [...many.slice(1), { token: secret }]));
    expect(body).toHaveLength(10_000);
    expect(body.at(-1)).toEqual(verdict(secret, 'true_positive'));
    expect(codeOf(await me(secret))).toEqual([401, 'revoked_api_key']);
    const large = JSON.stringify([{ token: 'x'.repeat(4 * 1_048_576), type: 'y' }]);
    expect(codeOf(await signed(large))).toEqual([413, 'payload_too_large']);
  });

  it('may be empty, and have fields that this service does not know', async () => {
    expect(expectStatus(200, await signed('[]')).body).toEqual([]);
    expectStatus(200, await signed('[{"token":"x","type":"y","url":null,"source":7,"more":{}}]'));
  });
});

describe('without the keys of the scanner', () => {
  it('answers 503, and asks for them again after a minute', async () => {
    await app.restart();
    const before = scanner.fetches;
    scanner.failure = { status: 200, body: `{"public_keys":[{"key_identifier":"x","key":"y"}]}` };
    for (let time = 0; time < 2; time++) {
      const answer = await scanner.report(app, []);
      expect(codeOf(answer)).toEqual([503, 'service_unavailable']);
      expect(answer.headers.get('retry-after')).toBe('60');
    }
    expect(scanner.fetches).toBe(before + 1);
    scanner.failure = { status: 200, body: ' '.repeat(100_000) };
    const clock = app.get(Clock);
    const now = clock.now.bind(clock);
    const spy = jest.spyOn(clock, 'now').mockImplementation(() => new Date(now().getTime() + 61_000));
    expect(codeOf(await scanner.report(app, []))).toEqual([503, 'service_unavailable']);
    scanner.failure = undefined;
    spy.mockImplementation(() => new Date(now().getTime() + 130_000));
    expectStatus(200, await scanner.report(app, []));
    spy.mockRestore();
  });
});
