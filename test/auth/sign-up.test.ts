import { as, expectStatus, Make, uniqueName } from '../support/make.js';
import { useApp } from '../support/test-app.js';

const SIGN_UP = '/api/v1/auth/sign-up';

describe('POST /api/v1/auth/sign-up', () => {
  const app = useApp();
  const make = new Make(app);

  it('creates an account with its own organization, and signs in', async () => {
    const username = uniqueName('ada');
    const answer = await app.post(SIGN_UP, {
      username: ` ${username.toUpperCase()} `,
      email: ` Ada.${username}@Example.org `,
      password: 'correct horse battery',
    });
    expectStatus(201, answer);
    expect(answer.body.data).toEqual({
      user: {
        id: expect.stringMatching(/^usr_[0-9a-z]{26}$/),
        username,
        email: `Ada.${username}@Example.org`,
        email_verified: false,
      },
      organization: { id: expect.stringMatching(/^org_[0-9a-z]{26}$/), slug: username, name: username, plan: 'free' },
      session_token: expect.stringMatching(/^svc_sess_[0-9A-Za-z]{39}$/),
    });
    const me = expectStatus(200, await app.fetch('/api/v1/me', as(answer.body.data.session_token as string)));
    expect(me.body.data).toMatchObject({
      user: answer.body.data.user,
      organization: { ...answer.body.data.organization, role: 'owner', personal: true },
    });
  });

  it('stores password and token only as hashes', async () => {
    const person = await make.person({ password: 'a very particular secret' });
    const dump =
      JSON.stringify(
        await make.sql(
          'SELECT u.*, s.*, a.*, o.* FROM users u JOIN sessions s ON s.user_id = u.id, audit_log a, outbox_messages o',
        ),
      ) +
      JSON.stringify(await make.sql("SELECT encode(token_hash, 'escape') AS hash, password_hash FROM sessions, users"));
    expect(dump).not.toContain('a very particular secret');
    expect(dump).not.toContain(person.sessionToken);
    const [{ password_hash: hash }] = (await make.sql('SELECT password_hash FROM users WHERE id = $1', [
      person.user.id,
    ])) as [{ password_hash: string }];
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it.each([
    ['a username that is reserved', { username: 'Admin' }, 'username', 'is_not_reserved'],
    ['a username of other characters', { username: 'ada_l' }, 'username', 'is_slug'],
    ['a username with two hyphens in a row', { username: 'a--b' }, 'username', 'is_slug'],
    ['a username of one character', { username: 'a' }, 'username', 'is_slug'],
    ['a username that is too long', { username: 'a'.repeat(40) }, 'username', 'is_slug'],
    ['no username', { username: undefined }, 'username', 'is_string'],
    ['an e-mail address that is none', { email: 'ada' }, 'email', 'is_email'],
    ['an e-mail address with a line break', { email: 'ada@example.org\r\nBcc: x@example.org' }, 'email', 'is_email'],
    [
      'an e-mail address that is too long',
      { email: `${'a'.repeat(64)}@${`${'b'.repeat(60)}.`.repeat(4)}org` },
      'email',
      'max_length',
    ],
    ['a password that is too short', { password: 'short' }, 'password', 'min_length'],
    ['a password that is too long', { password: 'a1'.repeat(101) }, 'password', 'max_length'],
    ['a password that is no text', { password: 12345678901 }, 'password', 'is_string'],
    ['a password that everybody has', { password: 'Password123' }, 'password', 'too_common'],
    ['a password that was stolen elsewhere', { password: '!QAZxsw2#EDCvfr4' }, 'password', 'too_common'],
    [
      'a password with the username in it',
      { username: 'countess', password: 'my-Countess-1815' },
      'password',
      'contains_account',
    ],
    [
      'a password that is the e-mail address',
      { email: 'lovelace@example.org', password: 'Lovelace@Example.org' },
      'password',
      'contains_account',
    ],
    ['a password that is the name of the service', { password: 'Service-Platform-47' }, 'password', 'contains_service'],
    ['a field too many', { plan: 'enterprise' }, 'plan', 'unknown_field'],
  ])(
    'returns 400 for %s, names the field and does not echo the password',
    async (_what, wrong: Record<string, unknown>, path, code) => {
      const answer = await app.post(SIGN_UP, {
        username: 'ada',
        email: 'ada@example.org',
        password: 'correct horse battery',
        ...wrong,
      });
      expect(answer.status).toBe(400);
      expect(answer.body.error).toMatchObject({ code: 'invalid_request', details: [{ path, in: 'body', code }] });
      if ('password' in wrong) expect(answer.text).not.toContain(JSON.stringify(wrong['password']));
    },
  );

  it('returns 409 for a taken username or e-mail address, ignoring case', async () => {
    const { user } = await make.person({ email: `${uniqueName('Grace')}@Example.org` });
    const other = {
      username: uniqueName('other'),
      email: `${uniqueName('other')}@example.org`,
      password: 'correct horse battery',
    };
    const username = await app.post(SIGN_UP, { ...other, username: user.username.toUpperCase() });
    expect([username.status, username.body.error.code, username.body.error.type]).toEqual([
      409,
      'username_taken',
      'conflict_error',
    ]);
    const email = await app.post(SIGN_UP, { ...other, email: user.email.toLowerCase() });
    expect([email.status, email.body.error.code]).toEqual([409, 'email_taken']);
  });

  it("returns 409 for a username that is an organization's slug, and creates nothing", async () => {
    const org = await make.org(await make.person());
    const answer = await app.post(SIGN_UP, {
      username: org.slug,
      email: `${org.slug}@example.org`,
      password: 'correct horse battery',
    });
    expect([answer.status, answer.body.error.code]).toEqual([409, 'username_taken']);
    expect(await make.sql('SELECT id FROM users WHERE username = $1', [org.slug])).toEqual([]);
  });

  it('accepts exactly one of concurrent requests for a username or an address', async () => {
    for (const input of [
      () => ({ username: 'racer', email: `${uniqueName('racer')}@example.org` }),
      () => ({ username: uniqueName('racer'), email: 'racer@example.org' }),
    ]) {
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => app.post(SIGN_UP, { ...input(), password: 'correct horse battery' })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    }
    expect(await make.sql("SELECT count(*)::int AS n FROM organizations WHERE slug = 'racer'")).toEqual([{ n: 1 }]);
  });

  it('creates nothing in a dry run, and returns the same', async () => {
    const input = {
      username: uniqueName('dry'),
      email: `${uniqueName('dry')}@example.org`,
      password: 'correct horse battery',
    };
    const rehearsal = await app.post(SIGN_UP, input, { headers: { 'dry-run': 'true' } });
    expect(rehearsal.body.data).toMatchObject({ user: { username: input.username } });
    expect(await make.sql('SELECT id FROM users WHERE username = $1', [input.username])).toEqual([]);
    expectStatus(201, await app.post(SIGN_UP, input));
  });

  it('returns 429 for the eleventh account of an hour from one address', async () => {
    const from = '198.19.1.1';
    const input = (index: number): object => ({
      username: `crowd-${index}`,
      email: `crowd-${index}@example.org`,
      password: 'correct horse battery',
    });
    for (let index = 0; index < 10; index++) expectStatus(201, await app.post(SIGN_UP, input(index), { from }));
    const refused = await app.post(SIGN_UP, input(10), { from });
    expect([refused.status, refused.body.error.code, refused.body.error.details.policy]).toEqual([
      429,
      'burst_limit_exceeded',
      'sign_up',
    ]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(300);
  });

  it('counts attempts by outcome', async () => {
    const { text } = await app.fetch('/metrics');
    expect(text).toMatch(/auth_sign_ups_total\{result="succeeded"\} [1-9]/);
    expect(text).toMatch(/auth_sign_ups_total\{result="refused"\} [1-9]/);
    expect(text).toMatch(/auth_sign_ups_total\{result="limited"\} 1/);
  });

  it('logs no name, address, password or token', () => {
    const log = JSON.stringify(app.log());
    for (const word of ['correct horse', '@example.org', '@Example.org', 'svc_']) expect(log).not.toContain(word);
  });
});
