import { randomUUID } from 'node:crypto';
import { Clock } from '../../src/platform/time/clock.js';
import { mailTo } from '../support/mailbox.js';
import { as, expectStatus, Make, type Person, send } from '../support/make.js';
import { SoftwareAuthenticator } from '../support/software-authenticator.js';
import { type Answer, TEST_PASSWORD, type TestApp, useApp } from '../support/test-app.js';
import { addTotp, codeFor, fromBase32 } from '../support/totp.js';

const HOME = { origin: 'http://dashboard.test', rpId: 'dashboard.test' };
const ME = '/api/v1/me/factors';
const AUTH = '/api/v1/auth';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

interface WithApp {
  readonly person: Person;
  readonly secret: Buffer;
  readonly recoveryCodes: readonly string[];
  readonly factorId: string;
}

describe('second factors', () => {
  const app = useApp({ DASHBOARD_URL: `${HOME.origin}/app`, SESSION_IDLE_HOURS: '24', SESSION_MAX_DAYS: '2' });
  const make = new Make(app);
  let other: TestApp;

  beforeAll(async () => {
    other = await app.another({ role: 'api' });
  });
  afterAll(() => other.stop());
  afterEach(() => jest.restoreAllMocks());

  /** Moves the clocks of both processes. */
  const pass = (ms: number): void => {
    for (const each of [app, other]) {
      const clock = each.get(Clock);
      const later = new Date(clock.now().getTime() + ms);
      jest.spyOn(clock, 'now').mockReturnValue(later);
    }
  };
  const code = (secret: Buffer, apart = 0): string => codeFor(app, secret, apart);
  const errorOf = ({ status, body }: Answer): unknown => [status, body.error?.code ?? body.data];
  const signIn = (person: Person, at = app): Promise<Answer> =>
    at.post(`${AUTH}/sign-in`, { login: person.user.username, password: person.password });
  const confirm = (person: Person, shown: object): Promise<Answer> =>
    app.post(`${AUTH}/session/confirm`, shown, as(person));

  async function withTotp(): Promise<WithApp> {
    const person = await make.person();
    return { person, ...(await addTotp(app, person)) };
  }

  async function challengeOf(person: Person): Promise<string> {
    const { options } = expectStatus(200, await app.call('POST', `${ME}/passkeys/options`, as(person))).body.data;
    return options.challenge as string;
  }
  async function signInChallenge(): Promise<string> {
    const answer = await app.call('POST', `${AUTH}/passkey/options`);
    return expectStatus(200, answer).body.data.options.challenge as string;
  }

  async function withPasskey(person?: Person): Promise<{ person: Person; key: SoftwareAuthenticator; id: string }> {
    const owner = person ?? (await make.person());
    const key = new SoftwareAuthenticator(HOME);
    const passkey = key.create({ challenge: await challengeOf(owner) });
    const added = await app.post(`${ME}/passkeys`, { name: 'Laptop', passkey }, as(owner));
    return { person: owner, key, id: expectStatus(201, added).body.data.id };
  }

  /** The token of a sign-in whose password was right. */
  async function flowOf(person: Person): Promise<string> {
    const answer = expectStatus(401, await signIn(person));
    expect(answer.body.error).toMatchObject({ code: 'second_factor_required' });
    return answer.body.error.details.token as string;
  }

  describe('authenticator apps', () => {
    it('begin to count with a confirmed code, and end the sessions without one', async () => {
      const person = await make.person();
      const earlier = expectStatus(200, await signIn(person)).body.data.session_token as string;
      const begun = expectStatus(201, await app.call('POST', `${ME}/totp`, as(person))).body.data;
      expect(begun.uri).toContain(`otpauth://totp/dashboard.test:${encodeURIComponent(person.user.email)}?secret=`);
      expectStatus(200, await signIn(person));
      const secret = fromBase32(begun.secret as string);
      expect(errorOf(await app.post(`${ME}/totp/confirm`, { code: code(secret, 5) }, as(person)))).toEqual([
        401,
        'invalid_factor',
      ]);
      expectStatus(200, await signIn(person));

      const added = expectStatus(200, await app.post(`${ME}/totp/confirm`, { code: code(secret) }, as(person)));
      expect(new Set(added.body.data.recovery_codes as string[]).size).toBe(10);
      // 28 letters of 32: 140 bits.
      for (const each of added.body.data.recovery_codes as string[])
        expect(each).toMatch(/^(?:[0-9a-z]{7}-){3}[0-9a-z]{7}$/);
      expect(errorOf(await app.fetch('/api/v1/me', as(earlier)))).toEqual([401, 'invalid_session']);
      expect((await signIn(person)).body.error).toMatchObject({
        code: 'second_factor_required',
        details: { token: expect.stringMatching(/^svc_flow_/), methods: ['totp', 'recovery_code'] },
      });
      expect((await app.fetch(ME, as(person))).body.data).toMatchObject({
        factors: [{ id: begun.id, type: 'totp' }],
        recovery_codes_left: 10,
      });
      const mail = await mailTo(app, person.user.email, 'second factors');
      expect(mail.text).toContain('authenticator app, added on');
      const [row] = await make.sql('SELECT secret FROM totp_secrets WHERE id = $1', [begun.id]);
      expect((row!.secret as Buffer).includes(secret)).toBe(false);
    });

    it('complete a sign-in, whose session knows both factors', async () => {
      const { person, secret } = await withTotp();
      const token = await flowOf(person);
      const done = await app.post(`${AUTH}/second-factor`, { token, code: code(secret) });
      const session = expectStatus(200, done).body.data.session_token as string;
      const [current] = (await app.fetch(`${AUTH}/sessions`, as(session))).body.data;
      expect(current).toMatchObject({ current: true, methods: ['password', 'totp'] });
      expect(errorOf(await app.post(`${AUTH}/second-factor`, { token, code: code(secret, 1) }))).toEqual([
        400,
        'invalid_flow',
      ]);
    });

    it('take each code once, in all processes together', async () => {
      const { person, secret } = await withTotp();
      const tokens = [await flowOf(person), await flowOf(person), await flowOf(person), await flowOf(person)];
      const now = code(secret);
      const answers = await Promise.all(
        tokens.map((token, index) => [app, other][index % 2]!.post(`${AUTH}/second-factor`, { token, code: now })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
    });

    it('let one of several calls with one sign-in open a session', async () => {
      const { person, recoveryCodes } = await withTotp();
      const token = await flowOf(person);
      const answers = await Promise.all(
        recoveryCodes
          .slice(0, 4)
          .map((each, index) => [app, other][index % 2]!.post(`${AUTH}/second-factor`, { token, code: each })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
      // What was refused has used nothing up.
      expect(
        (await app.fetch(ME, as(answers.find(({ status }) => status === 200)!.body.data.session_token as string))).body
          .data.recovery_codes_left,
      ).toBe(9);
    });

    it('refuse the sixth attempt of a person within five minutes, in any process and also a right one', async () => {
      const { person, secret } = await withTotp();
      const token = await flowOf(person);
      for (let attempt = 0; attempt < 5; attempt++) {
        const at = [app, other][attempt % 2]!;
        expect(errorOf(await at.post(`${AUTH}/second-factor`, { token, code: '000000' }))).toEqual([
          401,
          'invalid_factor',
        ]);
      }
      const refused = await other.post(`${AUTH}/second-factor`, { token, code: code(secret) });
      expect(errorOf(refused)).toEqual([429, 'burst_limit_exceeded']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await app.fetch('/metrics')).text).toMatch(
        /second_factor_attempts_total\{method="totp",result="refused"\} [3-9]/,
      );
    });

    it('are replaced without a moment in which the password is enough', async () => {
      const { person, factorId } = await withTotp();
      const { data } = expectStatus(201, await app.call('POST', `${ME}/totp`, as(person))).body;
      await flowOf(person);
      const secret = fromBase32(data.secret as string);
      const replaced = expectStatus(200, await app.post(`${ME}/totp/confirm`, { code: code(secret) }, as(person)));
      expect(replaced.body.data).toEqual({ id: data.id });
      const { factors } = (await app.fetch(ME, as(person))).body.data;
      expect(factors.map(({ id }: { id: string }) => id)).toEqual([data.id]);
      expect(data.id).not.toBe(factorId);
      const token = await flowOf(person);
      expectStatus(200, await app.post(`${AUTH}/second-factor`, { token, code: code(secret, 1) }));
    });
  });

  describe('recovery codes', () => {
    it('work once each in any spelling, and are replaced all at once', async () => {
      const { person, recoveryCodes } = await withTotp();
      const [first, second] = recoveryCodes;
      const spelled = first!.toUpperCase().replace('-', ' ');
      expectStatus(200, await app.post(`${AUTH}/second-factor`, { token: await flowOf(person), code: spelled }));
      expect(errorOf(await app.post(`${AUTH}/second-factor`, { token: await flowOf(person), code: first }))).toEqual([
        401,
        'invalid_factor',
      ]);
      const renewed = expectStatus(201, await app.call('POST', `${ME}/recovery-codes`, as(person))).body.data;
      expect(renewed.recovery_codes).toHaveLength(10);
      expect(errorOf(await app.post(`${AUTH}/second-factor`, { token: await flowOf(person), code: second }))).toEqual([
        401,
        'invalid_factor',
      ]);
    });

    it('are no use to anybody else, nor without a factor', async () => {
      const [ada, grace] = [await withTotp(), await withTotp()];
      const token = await flowOf(grace.person);
      expect(errorOf(await app.post(`${AUTH}/second-factor`, { token, code: ada.recoveryCodes[0] }))).toEqual([
        401,
        'invalid_factor',
      ]);
      const person = await make.person();
      expect(errorOf(await app.call('POST', `${ME}/recovery-codes`, as(person)))).toEqual([404, 'factor_not_found']);
    });
  });

  describe('passkeys', () => {
    it('sign in alone, and are both factors', async () => {
      const { person, key } = await withPasskey();
      const passkey = key.get({ challenge: await signInChallenge() });
      const session = expectStatus(200, await app.post(`${AUTH}/passkey`, { passkey })).body.data
        .session_token as string;
      const [current] = (await app.fetch(`${AUTH}/sessions`, as(session))).body.data;
      expect(current).toMatchObject({ methods: ['passkey'] });
      expect((await app.fetch('/api/v1/me', as(session))).body.data.user.id).toBe(person.user.id);
      expect((await signIn(person)).body.error.details.methods).toEqual(['passkey', 'recovery_code']);
    });

    it('complete a sign-in with a password', async () => {
      const { person, key } = await withPasskey();
      const token = await flowOf(person);
      const passkey = key.get({ challenge: await signInChallenge() });
      expectStatus(200, await app.post(`${AUTH}/second-factor`, { token, passkey }));
    });

    it('are refused when forged, alike in each way', async () => {
      const [{ key }, unknown] = [await withPasskey(), new SoftwareAuthenticator(HOME)];
      const challenge = await signInChallenge();
      const tampered = key.get({ challenge: await signInChallenge() }) as { response: Record<string, string> };
      const forgeries: [string, object][] = [
        ['another origin', key.get({ challenge, origin: 'http://dashboard.test.evil.example' })],
        ['another port', key.get({ challenge, origin: 'http://dashboard.test:81' })],
        ['another relying party', key.get({ challenge, rpId: 'evil.example' })],
        ['a user who was not verified', key.get({ challenge, verified: false })],
        ['a challenge of nobody', key.get({ challenge: Buffer.alloc(38, 7).toString('base64url') })],
        ['a short challenge', key.get({ challenge: 'AAAA' })],
        ['an unknown passkey', unknown.get({ challenge })],
        ['another key under a known name', { ...unknown.get({ challenge }), id: idOf(key), rawId: idOf(key) }],
        ['a changed signature', { ...tampered, response: { ...tampered.response, signature: 'MEUCIQ' } }],
        ['an answer to creation', key.create({ challenge })],
        ['nothing', {}],
      ];
      for (const [name, passkey] of forgeries) {
        const answer = await app.post(`${AUTH}/passkey`, { passkey });
        expect([name, answer.status, answer.body.error?.code]).toEqual([name, 401, 'invalid_factor']);
      }
      // The challenge was never used up by them.
      expectStatus(200, await app.post(`${AUTH}/passkey`, { passkey: key.get({ challenge }) }));
    });

    it('take a challenge once in all processes, and for five minutes', async () => {
      const { key } = await withPasskey();
      const challenge = await signInChallenge();
      const answers = await Promise.all(
        [1, 2, 3, 4].map((n) => [app, other][n % 2]!.post(`${AUTH}/passkey`, { passkey: key.get({ challenge }) })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
      const late = key.get({ challenge: await signInChallenge() });
      pass(5 * MINUTE_MS + 1);
      expect(errorOf(await app.post(`${AUTH}/passkey`, { passkey: late }))).toEqual([401, 'invalid_factor']);
    });

    it('refuse a counter that falls back, and tell the owner', async () => {
      const { person, key } = await withPasskey();
      const use = async (counter: number): Promise<Answer> =>
        app.post(
          `${AUTH}/passkey`,
          { passkey: key.get({ challenge: await signInChallenge(), counter }) },
          // The write is rolled back with the key, and the message is sent in any case.
          { headers: { 'idempotency-key': randomUUID() } },
        );
      expectStatus(200, await use(9));
      expect(errorOf(await use(9))).toEqual([401, 'invalid_factor']);
      expect(errorOf(await use(3))).toEqual([401, 'invalid_factor']);
      await mailTo(app, person.user.email, 'was refused');
      const { data } = (await app.fetch(`/api/v1/orgs/${person.organization.id}/audit-log`, as(person))).body;
      expect(data.map(({ action }: { action: string }) => action)).toContain('factor.refused');
      expectStatus(200, await use(10));
    });

    it('belong to one person: another cannot register, show or remove them', async () => {
      const { person: ada, key, id } = await withPasskey();
      const grace = await withTotp();
      const challenge = await challengeOf(grace.person);
      const again = await app.post(
        `${ME}/passkeys`,
        { name: 'Mine', passkey: key.create({ challenge }) },
        as(grace.person),
      );
      expect(errorOf(again)).toEqual([401, 'invalid_factor']);
      // A challenge for the account of one is none for that of the other.
      const other = new SoftwareAuthenticator(HOME).create({ challenge: await challengeOf(ada) });
      const crossed = await app.post(`${ME}/passkeys`, { name: 'Mine', passkey: other }, as(grace.person));
      expect(errorOf(crossed)).toEqual([401, 'invalid_factor']);
      const token = await flowOf(grace.person);
      const shown = key.get({ challenge: await signInChallenge() });
      expect(errorOf(await app.post(`${AUTH}/second-factor`, { token, passkey: shown }))).toEqual([
        401,
        'invalid_factor',
      ]);
      expect(errorOf(await confirm(grace.person, { passkey: shown }))).toEqual([401, 'invalid_factor']);
      expect(errorOf(await app.call('DELETE', `${ME}/${id}`, as(grace.person)))).toEqual([404, 'factor_not_found']);
      expectStatus(204, await app.call('DELETE', `${ME}/${id}`, as(ada)));
      const gone = await app.post(`${AUTH}/passkey`, { passkey: key.get({ challenge: await signInChallenge() }) });
      expect(errorOf(gone)).toEqual([401, 'invalid_factor']);
      expectStatus(200, await signIn(ada));
    });
  });

  describe('a recent sign-in', () => {
    const asKeys = { name: 'a key' };

    it('is required for what is dangerous, and a confirmed session counts at once in all processes', async () => {
      const person = await make.person();
      const org = await make.org(person);
      const guest = await make.person();
      await make.member(org, guest, 'member');
      pass(16 * MINUTE_MS);
      const dangerous: [string, string, object?][] = [
        ['POST', '/api/v1/keys', asKeys],
        ['POST', `/api/v1/orgs/${org.id}/members`, { email: 'x@example.org', role: 'member' }],
        ['PATCH', `/api/v1/orgs/${org.id}/members/${guest.user.id}`, { role: 'admin' }],
        ['DELETE', `/api/v1/orgs/${org.id}/members/${guest.user.id}`],
        ['PATCH', `/api/v1/orgs/${org.id}`, { name: 'New' }],
        ['DELETE', `/api/v1/orgs/${org.id}`],
        ['POST', `${ME}/totp`],
        ['POST', `${ME}/totp/confirm`, { code: '123456' }],
        ['POST', `${ME}/passkeys/options`],
        ['POST', `${ME}/passkeys`, { name: 'x', passkey: {} }],
        ['POST', `${ME}/recovery-codes`],
        ['DELETE', `${ME}/fac_01jd3m8yeqf5rb0xkq5ym8s6tn`],
      ];
      for (const [method, path, body] of dangerous) {
        const answer = await (body === undefined
          ? app.call(method, path, as(person))
          : send(app, [method, path], body, as(person)));
        expect([path, answer.status, answer.body.error?.code]).toEqual([path, 401, 'recent_sign_in_required']);
      }
      expectStatus(200, await app.fetch('/api/v1/keys', as(person)));
      expect(errorOf(await other.post('/api/v1/keys', asKeys, as(person)))).toEqual([401, 'recent_sign_in_required']);
      expect(errorOf(await confirm(person, { password: 'not the password' }))).toEqual([401, 'invalid_credentials']);
      expect((await confirm(person, { password: TEST_PASSWORD })).body.data).toEqual({ confirmed: true });
      expectStatus(201, await other.post('/api/v1/keys', asKeys, as(person)));
      const key = await make.key(person);
      pass(16 * MINUTE_MS);
      // Keys are not asked: their scopes say what they may do.
      expectStatus(201, await app.post('/api/v1/keys', asKeys, as(key)));
    });

    it('of a person with a factor includes one: the password is not enough', async () => {
      const { person, secret, recoveryCodes } = await withTotp();
      pass(16 * MINUTE_MS);
      expect(errorOf(await app.post('/api/v1/keys', asKeys, as(person)))).toEqual([401, 'recent_sign_in_required']);
      const refused = await confirm(person, { password: TEST_PASSWORD });
      expect(errorOf(refused)).toEqual([401, 'second_factor_required']);
      expect(refused.body.error.details).toEqual({ methods: ['totp', 'recovery_code'] });
      expect(errorOf(await confirm(person, { code: '000000' }))).toEqual([401, 'invalid_factor']);
      expectStatus(200, await confirm(person, { code: code(secret) }));
      expectStatus(201, await app.post('/api/v1/keys', asKeys, as(person)));
      pass(16 * MINUTE_MS);
      expectStatus(200, await confirm(person, { code: recoveryCodes[3] }));
      expectStatus(201, await app.post('/api/v1/keys', asKeys, as(person)));
    });

    it('is asked of sessions and not of keys, and keys change no factors', async () => {
      const person = await make.person();
      const key = await make.key(person);
      for (const [method, path] of [
        ['GET', ME],
        ['POST', `${ME}/totp`],
        ['DELETE', `${ME}/fac_01jd3m8yeqf5rb0xkq5ym8s6tn`],
        ['POST', `${AUTH}/session/confirm`],
      ] as const)
        expect(errorOf(await app.call(method, path, as(key)))).toEqual([401, 'session_required']);
      expect(errorOf(await app.fetch(ME))).toEqual([401, 'session_required']);
    });
  });

  describe('organizations that require a second factor', () => {
    it('refuse members without one, and their keys, from the next call on in all processes', async () => {
      const { person: ada } = await withTotp();
      const grace = await make.person();
      const org = await make.org(ada);
      await make.member(org, grace, 'admin');
      const key = await make.key(grace);
      const path = `/api/v1/orgs/${org.id}`;
      expect((await send(app, ['PATCH', path], { second_factor_required: true }, as(grace))).body.error.code).toBe(
        'second_factor_missing',
      );
      expectStatus(200, await other.fetch(path, as(grace)));
      const changed = await send(app, ['PATCH', path], { second_factor_required: true }, as(ada));
      expect(expectStatus(200, changed).body.data).toMatchObject({ second_factor_required: true });
      for (const at of [app, other])
        for (const caller of [grace, key])
          expect(errorOf(await at.fetch(path, as(caller)))).toEqual([403, 'second_factor_missing']);
      const named = { headers: { 'x-service-org': org.slug } };
      expect(errorOf(await app.fetch('/api/v1/projects', as(key, named)))).toEqual([403, 'second_factor_missing']);
      // The rest of the account works, so that a factor can be set up.
      const { data } = expectStatus(201, await app.call('POST', `${ME}/totp`, as(grace))).body;
      const shown = { code: code(fromBase32(data.secret as string)) };
      expectStatus(200, await app.post(`${ME}/totp/confirm`, shown, as(grace)));
      for (const at of [app, other])
        for (const caller of [grace, key]) expectStatus(200, await at.fetch(path, as(caller)));
      expectStatus(204, await app.call('DELETE', `${ME}/${data.id}`, as(grace)));
      expect(errorOf(await other.fetch(path, as(grace)))).toEqual([403, 'second_factor_missing']);
      expectStatus(200, await send(app, ['PATCH', path], { second_factor_required: false }, as(ada)));
      expectStatus(200, await other.fetch(path, as(grace)));
    });

    it('cannot be personal, so that nobody is locked out of the own account', async () => {
      const { person } = await withTotp();
      const path = `/api/v1/orgs/${person.organization.id}`;
      const answer = await send(app, ['PATCH', path], { second_factor_required: true }, as(person));
      expect(errorOf(answer)).toEqual([409, 'personal_organization']);
    });
  });

  describe('lost factors', () => {
    const recover = async (person: Person): Promise<Answer> =>
      app.post(`${AUTH}/second-factor/recover`, { token: await flowOf(person) });

    it('are removed after 48 hours and two messages, and all sessions end', async () => {
      const { person } = await withTotp();
      const due = Date.parse(expectStatus(202, await recover(person)).body.data.due_at as string);
      expect(due - Date.now()).toBeGreaterThan(47.9 * HOUR_MS);
      expect(errorOf(await recover(person))).toEqual([202, { due_at: new Date(due).toISOString() }]);
      await mailTo(app, person.user.email, 'will be removed');
      pass(25 * HOUR_MS);
      await app.runSchedule('factor-recoveries');
      await mailTo(app, person.user.email, 'will be removed', 2);
      await flowOf(person);
      pass(24 * HOUR_MS);
      await Promise.all([app.runSchedule('factor-recoveries'), app.runSchedule('factor-recoveries')]);
      await mailTo(app, person.user.email, 'were removed');
      expectStatus(200, await signIn(person));
      expect(errorOf(await app.fetch(ME, as(person)))).toEqual([401, 'invalid_session']);
    });

    it('are found again: a factor, a new password and a confirmed session each stop it', async () => {
      const stops: ((owner: WithApp) => Promise<Answer>)[] = [
        async ({ person, secret }) =>
          app.post(`${AUTH}/second-factor`, { token: await flowOf(person), code: code(secret) }),
        ({ person, recoveryCodes }) => confirm(person, { code: recoveryCodes[0] }),
        ({ person }) => {
          const passwords = { current_password: TEST_PASSWORD, new_password: 'another long secret' };
          return send(app, ['PUT', `${AUTH}/password`], passwords, as(person));
        },
      ];
      for (const stop of stops) {
        const owner = await withTotp();
        expectStatus(202, await recover(owner.person));
        expect((await app.fetch(ME, as(owner.person))).body.data.recovery_due_at).toBeDefined();
        expectStatus(200, await stop(owner));
        expect((await app.fetch(ME, as(owner.person))).body.data.recovery_due_at).toBeUndefined();
      }
    });

    it('need the password, and a new password does not remove factors', async () => {
      const { person } = await withTotp();
      expect(errorOf(await app.post(`${AUTH}/second-factor/recover`, { token: 'svc_flow_x' }))).toEqual([
        400,
        'invalid_flow',
      ]);
      const waiting = await flowOf(person);
      expectStatus(202, await app.post(`${AUTH}/password/forgot`, { email: person.user.email }));
      const { token } = await mailTo(app, person.user.email, 'Reset your password');
      expectStatus(200, await app.post(`${AUTH}/password/reset`, { token, password: 'another long secret' }));
      expect(errorOf(await app.post(`${AUTH}/second-factor`, { token: waiting, code: '123456' }))).toEqual([
        400,
        'invalid_flow',
      ]);
      await flowOf({ ...person, password: 'another long secret' });
    });
  });

  it('are not revealed to a caller without the password', async () => {
    const [{ person }, plain] = [await withTotp(), await make.person()];
    const answers = await Promise.all(
      [person.user.username, plain.user.username, 'nobody-of-that-name'].map((login) =>
        app.post(`${AUTH}/sign-in`, { login, password: 'not the password' }),
      ),
    );
    const shown = answers.map(({ status, body }) => JSON.stringify([status, body.error]));
    expect(new Set(shown).size).toBe(1);
    const [one, two] = await Promise.all([1, 2].map(() => app.call('POST', `${AUTH}/passkey/options`)));
    const options = { ...one!.body.data.options, challenge: expect.any(String) };
    expect(two!.body.data.options).toEqual(options);
  });

  it('refuse bodies that are none', async () => {
    const person = await make.person();
    for (const [path, body] of [
      [`${AUTH}/second-factor`, { code: '123456' }],
      [`${AUTH}/second-factor/recover`, {}],
      [`${AUTH}/passkey`, { passkey: 'text' }],
      [`${AUTH}/session/confirm`, { password: 7 }],
      [`${ME}/totp/confirm`, {}],
      [`${ME}/passkeys`, { name: '', passkey: {} }],
    ] as const)
      expect([path, errorOf(await app.post(path, body, as(person)))]).toEqual([path, [400, 'invalid_request']]);
    expect(errorOf(await app.post(`${ME}/totp/confirm`, { code: '123456' }, as(person)))).toEqual([
      404,
      'factor_not_found',
    ]);
  });

  it('let a session end that was not used for SESSION_IDLE_HOURS', async () => {
    const [used, unused] = [await make.person(), await make.person()];
    for (let hours = 0; hours < 30; hours += 10) {
      pass(10 * HOUR_MS);
      expectStatus(200, await app.fetch('/api/v1/me', as(used)));
    }
    expect(errorOf(await app.fetch('/api/v1/me', as(unused)))).toEqual([401, 'invalid_session']);
  });

  it('let a session end after SESSION_MAX_DAYS, also one that is used and has a new token', async () => {
    const person = await make.person();
    const signedInAt = app.get(Clock).now().getTime();
    pass(20 * HOUR_MS);
    const { session_token: token, expires_at: expiresAt } = expectStatus(
      200,
      await app.call('POST', `${AUTH}/session/rotate`, as(person)),
    ).body.data;
    expect(Math.abs(Date.parse(expiresAt as string) - signedInAt - 48 * HOUR_MS)).toBeLessThan(60_000);
    pass(20 * HOUR_MS);
    expectStatus(200, await app.fetch('/api/v1/me', as(token as string)));
    pass(9 * HOUR_MS);
    expect(errorOf(await app.fetch('/api/v1/me', as(token as string)))).toEqual([401, 'invalid_session']);
  });
});

const idOf = (key: SoftwareAuthenticator): string => key.id.toString('base64url');
