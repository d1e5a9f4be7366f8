import { AccountAttempts } from '../../src/modules/people/attempts/account-attempts.js';
import { PasswordsService } from '../../src/modules/people/accounts/passwords.service.js';
import { as, expectStatus, Make, type Person, send, uniqueName } from '../support/make.js';
import { type Answer, randomAddress, useApp } from '../support/test-app.js';

const SIGN_IN = '/api/v1/auth/sign-in';

describe('POST /api/v1/auth/sign-in', () => {
  const app = useApp({ ANONYMOUS_CALLS_PER_SECOND: '1000' });
  const make = new Make(app);

  it('creates a session for the username or the e-mail address, ignoring case', async () => {
    const person = await make.person();
    for (const login of [person.user.username.toUpperCase(), ` ${person.user.email.toUpperCase()} `]) {
      const answer = expectStatus(200, await app.post(SIGN_IN, { login, password: person.password }));
      expect(answer.body.data).toEqual({
        user: person.user,
        organization: person.organization,
        session_token: expect.stringMatching(/^svc_sess_/),
      });
      expectStatus(200, await app.fetch('/api/v1/me', as(answer.body.data.session_token as string)));
    }
  });

  it('returns the same for a wrong password and an unknown name', async () => {
    const { user } = await make.person();
    const requestId = { 'x-request-id': 'the-same' };
    const refusal = (login: string): Promise<Answer> =>
      app.post(SIGN_IN, { login, password: 'a wrong password' }, { headers: requestId });
    const answers = await Promise.all([
      refusal(user.username),
      refusal(user.email),
      refusal('nobody'),
      refusal('nobody@example.org'),
      refusal('no body!'),
    ]);
    const [first] = answers;
    for (const { status, text } of answers) expect([status, text]).toEqual([401, first.text]);
    expect(first.body.error).toMatchObject({ code: 'invalid_credentials', type: 'auth_error' });
    expect(first.text).not.toContain(user.username);
  });

  it('takes as long for an unknown name', async () => {
    const { user } = await make.person();
    const times: Record<string, number[]> = { known: [], unknown: [] };
    const median = (name: string): number => times[name]!.sort((a, b) => a - b)[5]!;
    await app.post(SIGN_IN, { login: 'warm-up', password: 'a wrong password' });
    // In turns, so that what else goes on at this machine meets both.
    for (let index = 0; index < 10; index++) {
      for (const [name, login] of [
        ['known', user.username],
        ['unknown', 'nobody-else'],
      ] as const) {
        const began = performance.now();
        expectStatus(401, await app.post(SIGN_IN, { login, password: 'a wrong password' }));
        times[name]!.push(performance.now() - began);
      }
    }
    const [known, unknown] = [median('known'), median('unknown')];
    // The hash alone takes far longer than all the rest: without it the ratio would be beyond three.
    expect(Math.max(known, unknown) / Math.min(known, unknown)).toBeLessThan(2);
  });

  it.each([
    ['nothing', {}],
    ['a password that is no text', { login: 'ada', password: { $ne: '' } }],
    ['a login that the database cannot hold', { login: 'ada\0', password: 'x' }],
    ['a login that is too long', { login: 'a'.repeat(300), password: 'x' }],
  ])('returns 400 for %s', async (_what, body) => {
    const answer = await app.post(SIGN_IN, body);
    expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_request']);
  });

  describe('limits attempts per account', () => {
    const wrong = (login: string, from: string): Promise<Answer> =>
      app.post(SIGN_IN, { login, password: 'a wrong password' }, { from });
    const exhaust = async (login: string): Promise<void> => {
      // Each check of a password takes a while, in which attempts become possible again: these are counted without it.
      const attempts = app.get(AccountAttempts);
      for (let count = 0; count < 100; count++) await attempts.signInFromUnknownAddress(login);
    };

    it('to ten from one address, and lets the owner in from another', async () => {
      const { user, password } = await make.person();
      const from = randomAddress();
      for (let attempt = 0; attempt < 10; attempt++) expectStatus(401, await wrong(user.username, from));
      const refused = await app.post(SIGN_IN, { login: user.username.toUpperCase(), password }, { from });
      expect([refused.status, refused.body.error.code, refused.body.error.details]).toMatchObject([
        429,
        'sign_in_limit_exceeded',
        { policy: 'sign_in', limit: 10 },
      ]);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(60);
      expectStatus(200, await app.post(SIGN_IN, { login: user.username, password }));
    });

    it('to a hundred from new addresses, and lets the owner in from a known one', async () => {
      const home = randomAddress();
      const { user, password } = await make.person({ from: home });
      await exhaust(user.username);
      const refused = await app.post(SIGN_IN, { login: user.username, password });
      expect([refused.status, refused.body.error.details]).toMatchObject([
        429,
        { policy: 'sign_in_account', limit: 100 },
      ]);
      expectStatus(200, await app.post(SIGN_IN, { login: user.username, password }, { from: home }));
    });

    it('in the same way for an unknown name', async () => {
      const login = uniqueName('nobody');
      await exhaust(login);
      const refused = await wrong(login, randomAddress());
      expect([refused.status, refused.body.error.details]).toMatchObject([
        429,
        { policy: 'sign_in_account', limit: 100 },
      ]);
    });
  });

  it('returns 429 for the thirty-first attempt from one address, whatever the name', async () => {
    const from = '198.19.2.2';
    for (let attempt = 0; attempt < 30; attempt++)
      expectStatus(401, await app.post(SIGN_IN, { login: `guess-${attempt}`, password: 'a wrong password' }, { from }));
    const refused = await app.post(SIGN_IN, { login: 'guess-31', password: 'a wrong password' }, { from });
    expect([refused.status, refused.body.error.code]).toEqual([429, 'sign_in_limit_exceeded']);
  });

  it('stores no name in Redis', async () => {
    const { user } = await make.person();
    await app.post(SIGN_IN, { login: user.email, password: 'a wrong password' });
    const { RedisConnections } = await import('../../src/platform/redis/redis-connections.js');
    const keys = await app.get(RedisConnections).fast().keys('attempts:*');
    expect(keys.length).toBeGreaterThan(0);
    for (const key of keys) expect(key).not.toMatch(/@|person-|nobody/);
  });

  it('counts attempts by outcome', async () => {
    const { text } = await app.fetch('/metrics');
    for (const result of ['succeeded', 'refused', 'limited'])
      expect(text).toMatch(new RegExp(`auth_sign_ins_total\\{result="${result}",method="password"\\} [1-9]`));
  });

  it('logs no name, address, password or token', async () => {
    const person = await make.person();
    expectStatus(200, await app.post(SIGN_IN, { login: person.user.email, password: person.password }));
    const log = JSON.stringify(app.log());
    for (const word of [person.user.email, person.password, 'a wrong password', 'svc_'])
      expect(log).not.toContain(word);
  });
});

describe('sessions', () => {
  const app = useApp();
  const make = new Make(app);
  const ROTATE = '/api/v1/auth/session/rotate';
  const SESSIONS = '/api/v1/auth/sessions';
  const statusOf = async (token: string): Promise<unknown> => {
    const answer = await app.fetch('/api/v1/me', as(token));
    return answer.status === 200 ? 200 : answer.body.error.code;
  };
  const signIn = async (login: string, password: string): Promise<string> =>
    expectStatus(200, await app.post(SIGN_IN, { login, password }, { headers: { 'user-agent': 'a test' } })).body.data
      .session_token as string;

  it('end on the next request after sign-out', async () => {
    const person = await make.person();
    expect(await statusOf(person.sessionToken)).toBe(200);
    const answer = await app.call('POST', '/api/v1/auth/sign-out', as(person));
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(await statusOf(person.sessionToken)).toBe('invalid_session');
    expect((await app.call('POST', '/api/v1/auth/sign-out', as(person))).status).toBe(401);
  });

  it('are named in the error when a key or nothing is sent', async () => {
    for (const [method, path] of [
      ['POST', '/api/v1/auth/sign-out'],
      ['POST', ROTATE],
      ['GET', SESSIONS],
      ['DELETE', SESSIONS],
      ['DELETE', `${SESSIONS}/x`],
      ['POST', '/api/v1/auth/verify-email/resend'],
      ['PUT', '/api/v1/auth/password'],
      ['POST', '/api/v1/invitations/accept'],
    ] as const) {
      const answer = await app.call(method, path);
      expect([path, answer.status, answer.body.error.code]).toEqual([path, 401, 'session_required']);
    }
  });

  it('can be rotated, and end when the old token is used again', async () => {
    const person = await make.person();
    const rotated = expectStatus(200, await app.call('POST', ROTATE, as(person)));
    const { session_token: token, expires_at: expiresAt } = rotated.body.data;
    expect(Date.parse(expiresAt as string) - Date.now()).toBeGreaterThan(29.9 * 86_400_000);
    expect(await statusOf(token as string)).toBe(200);

    const theft = await app.fetch('/api/v1/me', as(person));
    expect([theft.status, theft.body.error.code]).toEqual([401, 'invalid_session']);
    expect(theft.body.error.message).toContain('replaced');
    expect(await statusOf(token as string)).toBe('invalid_session');
    const [ended] = await make.sql("SELECT details FROM audit_log WHERE org_id = $1 AND action = 'session.ended'", [
      person.organization.id,
    ]);
    expect(ended).toEqual({ details: { reason: 'token_reused' } });
  });

  it('remember their last five tokens', async () => {
    const person = await make.person();
    let token = person.sessionToken;
    const tokens = [token];
    for (let index = 0; index < 6; index++) {
      token = expectStatus(200, await app.call('POST', ROTATE, as(token))).body.data.session_token as string;
      tokens.push(token);
    }
    expect(await statusOf(tokens[0]!)).toBe('invalid_session');
    expect(await statusOf(token)).toBe(200);
    expect(await statusOf(tokens[1]!)).toBe('invalid_session');
    expect(await statusOf(token)).toBe('invalid_session');
  });

  it('expire after thirty days', async () => {
    const person = await make.person();
    await make.sql("UPDATE sessions SET expires_at = now() - interval '1 second' WHERE user_id = $1", [person.user.id]);
    expect(await statusOf(person.sessionToken)).toBe('invalid_session');
  });

  it('are listed in pages, the latest first, and can be ended one by one', async () => {
    const person = await make.person();
    const others = [
      await signIn(person.user.username, person.password),
      await signIn(person.user.username, person.password),
    ];
    const first = expectStatus(200, await app.fetch(`${SESSIONS}?limit=2`, as(person))).body;
    expect(first.data).toEqual([
      expect.objectContaining({ current: false, user_agent: 'a test', ip: expect.stringMatching(/^198\./) }),
      expect.objectContaining({ current: false }),
    ]);
    expect(first.meta.has_more).toBe(true);
    const second = expectStatus(
      200,
      await app.fetch(`${SESSIONS}?limit=2&cursor=${first.meta.next_cursor}`, as(person)),
    ).body;
    expect(second.data).toEqual([expect.objectContaining({ current: true, id: expect.stringMatching(/^ses_/) })]);
    expect(second.meta).toEqual({ request_id: expect.any(String), has_more: false });

    expect((await app.call('DELETE', `${SESSIONS}/${first.data[0].id}`, as(person))).status).toBe(204);
    expect(await statusOf(others[1]!)).toBe('invalid_session');
    expect(await statusOf(others[0]!)).toBe(200);
  });

  it('can be ended all at once, except the one of the call and those of other people', async () => {
    const [person, other] = [await make.person(), await make.person()];
    const others = [
      await signIn(person.user.username, person.password),
      await signIn(person.user.username, person.password),
    ];
    const answer = await app.call('DELETE', SESSIONS, as(person));
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(await Promise.all(others.map(statusOf))).toEqual(['invalid_session', 'invalid_session']);
    expect(await Promise.all([person, other].map(({ sessionToken }) => statusOf(sessionToken)))).toEqual([200, 200]);
    const ended = await make.sql(
      "SELECT details FROM audit_log WHERE org_id = $1 AND action = 'session.ended' ORDER BY id",
      [person.organization.id],
    );
    expect(ended).toEqual(Array(2).fill({ details: { reason: 'signed_out' } }));
    expect((await app.call('DELETE', SESSIONS, as(await make.key(person)))).status).toBe(401);
  });

  it.each([
    'cursor=nonsense',
    'cursor=',
    'limit=0',
    'limit=101',
    'limit=x',
    `cursor=${Buffer.from("x' OR 1=1").toString('base64url')}`,
    'page=2',
  ])('return 400 for the page %s', async (query) => {
    const answer = await app.fetch(`${SESSIONS}?${query}`, as(await make.person()));
    expect([answer.status, answer.body.error.code, answer.body.error.details[0].in]).toEqual([
      400,
      'invalid_request',
      'query',
    ]);
  });

  it('of another person return 404', async () => {
    const [one, other] = [await make.person(), await make.person()];
    const {
      data: [{ id }],
    } = expectStatus(200, await app.fetch(SESSIONS, as(one))).body;
    const answer = await app.call('DELETE', `${SESSIONS}/${id}`, as(other, { headers: { 'x-request-id': 'same' } }));
    const absent = await app.call(
      'DELETE',
      `${SESSIONS}/ses_0000000000000000000000000z`,
      as(other, { headers: { 'x-request-id': 'same' } }),
    );
    expect([answer.status, answer.body.error.code, answer.text]).toEqual([404, 'session_not_found', absent.text]);
    expect(await statusOf(one.sessionToken)).toBe(200);
  });

  it('are not changed in a dry run', async () => {
    const person = await make.person();
    expect(
      (await app.call('POST', '/api/v1/auth/sign-out', as(person, { headers: { 'dry-run': 'true' } }))).status,
    ).toBe(204);
    expect(await statusOf(person.sessionToken)).toBe(200);
  });

  it('other than the current one end when the password changes', async () => {
    const person = await make.person();
    const other = await signIn(person.user.username, person.password);
    const body = { current_password: person.password, new_password: 'another long secret' };
    const answer = expectStatus(200, await send(app, ['PUT', '/api/v1/auth/password'], body, as(person)));
    expect(answer.body.data).toEqual({ changed: true });
    expect([await statusOf(person.sessionToken), await statusOf(other)]).toEqual([200, 'invalid_session']);
    expect((await app.post(SIGN_IN, { login: person.user.username, password: person.password })).status).toBe(401);
    await signIn(person.user.username, 'another long secret');
  });

  describe('while the password changes', () => {
    const NEW = 'another long secret';
    const change = (by: Person, newPassword: string): Promise<Answer> =>
      send(app, ['PUT', '/api/v1/auth/password'], { current_password: by.password, new_password: newPassword }, as(by));

    /** What is checked next is right, and before its checker goes on the password is another. */
    function replaceAfterNextCheck(person: Person): void {
      const passwords = app.get(PasswordsService);
      const matches = passwords.matches.bind(passwords);
      jest.spyOn(passwords, 'matches').mockImplementationOnce(async (...given) => {
        const result = await matches(...given);
        expectStatus(200, await change(person, NEW));
        return result;
      });
    }

    afterEach(() => {
      jest.restoreAllMocks();
    });

    it('rejects sign-in with the old password', async () => {
      const person = await make.person();
      replaceAfterNextCheck(person);
      const late = await app.post(SIGN_IN, { login: person.user.username, password: person.password });
      expect([late.status, late.body.error?.code]).toEqual([401, 'invalid_credentials']);
      await signIn(person.user.username, NEW);
    });

    it('rejects another change with the old password', async () => {
      const person = await make.person();
      replaceAfterNextCheck(person);
      const late = await change(person, 'the secret of a thief');
      expect([late.status, late.body.error?.code]).toEqual([401, 'invalid_credentials']);
      await signIn(person.user.username, NEW);
    });
  });

  it('keeps sessions when the current password is wrong or the new one is invalid', async () => {
    const person = await make.person();
    const change = (body: object): Promise<Answer> => send(app, ['PUT', '/api/v1/auth/password'], body, as(person));
    expect(
      (await change({ current_password: 'not this one', new_password: 'another long secret' })).body.error.code,
    ).toBe('invalid_credentials');
    const common = await change({ current_password: person.password, new_password: 'password123' });
    expect([common.status, common.body.error.details[0]]).toEqual([
      400,
      expect.objectContaining({ path: 'new_password', code: 'too_common' }),
    ]);
    expect((await change({ current_password: person.password, new_password: 'short' })).status).toBe(400);
    await signIn(person.user.username, person.password);
  });
});
