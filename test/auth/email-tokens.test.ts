import { as, expectStatus, Make, send, uniqueName } from '../support/make.js';
import { mailsOf, mailTo } from '../support/mailbox.js';
import { type Answer, eventually, useApp } from '../support/test-app.js';

const VERIFY = '/api/v1/auth/verify-email';
const RESEND = '/api/v1/auth/verify-email/resend';
const FORGOT = '/api/v1/auth/password/forgot';
const RESET = '/api/v1/auth/password/reset';
const SIGN_IN = '/api/v1/auth/sign-in';
const SENTINEL = 'a new long secret';

describe('e-mail verification', () => {
  const app = useApp();
  const make = new Make(app);
  const isVerified = async (person: { sessionToken: string }): Promise<boolean> =>
    expectStatus(200, await app.fetch('/api/v1/me', as(person))).body.data.user.email_verified as boolean;

  it('verifies once with the token from the message, effective on the next request', async () => {
    const person = await make.person();
    expect(await isVerified(person)).toBe(false);
    const { token } = await mailTo(app, person.user.email, 'Verify');
    expect(expectStatus(200, await app.post(VERIFY, { token })).body.data).toEqual({ email_verified: true });
    expect(await isVerified(person)).toBe(true);
    const again = await app.post(VERIFY, { token });
    expect([again.status, again.body.error.code, again.body.error.type]).toEqual([
      400,
      'invalid_email_token',
      'validation_error',
    ]);
  });

  it('verifies once for concurrent requests with the same token', async () => {
    const person = await make.person();
    const { token } = await mailTo(app, person.user.email, 'Verify');
    const answers = await Promise.all(Array.from({ length: 5 }, () => app.post(VERIFY, { token })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400]);
  });

  it('returns the same error for an expired, unknown, malformed or misused token', async () => {
    const person = await make.person();
    const { token } = await mailTo(app, person.user.email, 'Verify');
    expectStatus(202, await app.post(FORGOT, { email: person.user.email }));
    const { token: forReset } = await mailTo(app, person.user.email, 'Reset your password');
    const outsider = await make.person();
    const { token: old } = await mailTo(app, outsider.user.email, 'Verify');
    await make.sql("UPDATE email_tokens SET expires_at = now() - interval '1 second' WHERE user_id = $1", [
      outsider.user.id,
    ]);

    const wrong = [
      old,
      forReset,
      'svc_mail_',
      `${token.slice(0, -1)}${token.endsWith('x') ? 'y' : 'x'}`,
      person.sessionToken,
      'x',
    ];
    const answers = await Promise.all(
      wrong.map((text) => app.post(VERIFY, { token: text }, { headers: { 'x-request-id': 'same' } })),
    );
    for (const { status, text } of answers) expect([status, text]).toEqual([400, answers[0]!.text]);
    expect(answers[0]!.body.error.code).toBe('invalid_email_token');
    expectStatus(200, await app.post(VERIFY, { token }));
  });

  it('can be requested again a few times an hour until it is done', async () => {
    const person = await make.person();
    await mailTo(app, person.user.email, 'Verify');
    const resend = (): Promise<Answer> => app.call('POST', RESEND, as(person));
    expect(expectStatus(202, await resend()).body.data).toEqual({ sent: true });
    const { token } = await mailTo(app, person.user.email, 'Verify', 2);
    expectStatus(200, await app.post(VERIFY, { token }));
    // The earlier message has done its work as well.
    expectStatus(400, await app.post(VERIFY, { token: (await mailTo(app, person.user.email, 'Verify')).token }));
    for (let index = 0; index < 4; index++) expectStatus(202, await resend());
    const refused = await resend();
    expect([refused.status, refused.body.error.details.policy]).toEqual([429, 'verify_email']);
    expect(mailsOf(app).filter(({ to }) => to === person.user.email)).toHaveLength(2);
  });

  it.each([{}, { token: 7 }, { token: '' }, { token: 'x'.repeat(101) }])(
    'returns 400 for the body %j and names the field',
    async (body) => {
      const answer = await app.post(VERIFY, body);
      expect([answer.status, answer.body.error.code, answer.body.error.details[0].path]).toEqual([
        400,
        'invalid_request',
        'token',
      ]);
    },
  );
});

describe('password reset', () => {
  const app = useApp();
  const make = new Make(app);
  const forgot = (email: string): Promise<Answer> =>
    app.post(FORGOT, { email }, { headers: { 'x-request-id': 'same' } });
  const askFor = async (email: string): Promise<string> => {
    expectStatus(202, await forgot(email));
    return (await mailTo(app, email, 'Reset your password')).token;
  };

  it('sets a new password with the token, ends every session and verifies the address', async () => {
    const person = await make.person();
    const token = await askFor(person.user.email);
    expect(expectStatus(200, await app.post(RESET, { token, password: SENTINEL })).body.data).toEqual({
      reset: true,
      revoked_keys: 0,
    });
    expect((await app.fetch('/api/v1/me', as(person))).body.error.code).toBe('invalid_session');
    expectStatus(401, await app.post(SIGN_IN, { login: person.user.username, password: person.password }));
    expect(
      expectStatus(200, await app.post(SIGN_IN, { login: person.user.username, password: SENTINEL })).body.data.user
        .email_verified,
    ).toBe(true);
    expect((await app.post(RESET, { token, password: `${SENTINEL} again` })).body.error.code).toBe(
      'invalid_email_token',
    );
  });

  it('returns the same for an unknown address, and sends nothing', async () => {
    const { user } = await make.person();
    const outsider = `${uniqueName('outsider')}@example.org`;
    const [known, unknown] = [await forgot(user.email.toUpperCase()), await forgot(outsider)];
    expect([known.status, known.text]).toEqual([202, unknown.text]);
    expect(unknown.status).toBe(202);
    await mailTo(app, user.email, 'Reset your password');
    await eventually(
      async () => (await make.sql('SELECT 1 FROM outbox_messages')).length === 0,
      'all jobs are with the worker',
    );
    expect(mailsOf(app).filter(({ to }) => to === outsider)).toEqual([]);
  });

  it('rejects an expired token and a verification token', async () => {
    const { user } = await make.person();
    const { token: verify } = await mailTo(app, user.email, 'Verify');
    const token = await askFor(user.email);
    await make.sql(
      `UPDATE email_tokens SET expires_at = now() - interval '1 second' WHERE user_id = $1
        AND purpose = 'reset_password'`,
      [user.id],
    );
    for (const wrong of [verify, token])
      expect((await app.post(RESET, { token: wrong, password: SENTINEL })).body.error.code).toBe('invalid_email_token');
  });

  it('rejects an invalid password and keeps the token valid', async () => {
    const { user } = await make.person();
    const token = await askFor(user.email);
    const refused = await app.post(RESET, { token, password: `x ${user.username} x` });
    expect([refused.status, refused.body.error.details[0].code]).toEqual([400, 'contains_account']);
    expectStatus(200, await app.post(RESET, { token, password: SENTINEL }));
  });

  it('resets once for concurrent requests with the same token', async () => {
    const { user } = await make.person();
    const token = await askFor(user.email);
    const answers = await Promise.all(
      ['one', 'two', 'three'].map((word) => app.post(RESET, { token, password: `${SENTINEL} ${word}` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
  });

  it('rejects older tokens after a change of the password', async () => {
    const person = await make.person();
    const token = await askFor(person.user.email);
    const change = { current_password: person.password, new_password: SENTINEL };
    expectStatus(200, await send(app, ['PUT', '/api/v1/auth/password'], change, as(person)));
    expectStatus(400, await app.post(RESET, { token, password: `${SENTINEL} again` }));
  });

  it('returns 429 above five requests an hour for an address, whether or not it has an account', async () => {
    for (const email of [(await make.person()).user.email, `${uniqueName('nobody')}@example.org`]) {
      for (let index = 0; index < 5; index++) expectStatus(202, await forgot(email));
      const refused = await forgot(email.toUpperCase());
      expect([refused.status, refused.body.error.code, refused.body.error.details.policy]).toEqual([
        429,
        'burst_limit_exceeded',
        'forgot_password',
      ]);
    }
  });

  it('sends nothing in a dry run', async () => {
    const { user } = await make.person();
    await mailTo(app, user.email, 'Verify');
    expectStatus(202, await app.post(FORGOT, { email: user.email }, { headers: { 'dry-run': 'true' } }));
    const [{ n }] = (await make.sql('SELECT count(*)::int AS n FROM outbox_messages')) as [{ n: number }];
    expect(n).toBe(0);
  });
});
