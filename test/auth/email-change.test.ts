import { Clock } from '../../src/platform/time/clock.js';
import { type Mail, mailsOf, mailTo } from '../support/mailbox.js';
import { as, expectStatus, Make, type Person, send, uniqueName } from '../support/make.js';
import { type Answer, eventually, TEST_PASSWORD, type TestApp, useApp } from '../support/test-app.js';

const EMAIL = '/api/v1/me/email';
const CONFIRM = '/api/v1/auth/confirm-email-change';
const FORGOT = '/api/v1/auth/password/forgot';
const RESET = '/api/v1/auth/password/reset';
const SIGN_IN = '/api/v1/auth/sign-in';
const HOUR_MS = 3_600_000;

describe('a change of the email address', () => {
  const app = useApp({ DASHBOARD_URL: 'http://app.test' });
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
  const newAddress = (): string => `${uniqueName('new')}@example.net`;
  const request = (person: Person, email: string, at = app): Promise<Answer> => at.post(EMAIL, { email }, as(person));
  const confirm = (mail: Mail, at = app): Promise<Answer> => at.post(CONFIRM, { token: mail.token });
  const proofOf = (email: string, nth = 1): Promise<Mail> => mailTo(app, email, 'Confirm your new', nth);
  const approvalOf = ({ user }: Person, nth = 1): Promise<Mail> => mailTo(app, user.email, 'about to change', nth);
  const errorOf = ({ status, body }: Answer): unknown => [status, body.error?.code ?? body.data];
  const meOf = async (caller: Person | string): Promise<Record<string, unknown>> =>
    expectStatus(200, await other.fetch('/api/v1/me', as(caller))).body.data.user as Record<string, unknown>;
  const signIn = (login: string, password = TEST_PASSWORD): Promise<Answer> => app.post(SIGN_IN, { login, password });
  const mailsFor = (email: string): string[] =>
    mailsOf(app)
      .filter(({ to }) => to === email)
      .map(({ subject }) => subject);
  const allSent = (): Promise<void> =>
    eventually(async () => (await make.sql('SELECT 1 FROM outbox_messages')).length === 0, 'all jobs are handed over');
  const auditOf = async (person: Person): Promise<unknown[]> =>
    make.sql(`SELECT action, details FROM audit_log WHERE org_id = $1 AND action LIKE 'email.%' ORDER BY id`, [
      person.organization.id,
    ]);

  it('is made when both addresses have confirmed it, in either order, and all processes notice', async () => {
    for (const first of ['new', 'old'] as const) {
      const person = await make.person();
      const key = await make.key(person);
      const elsewhere = expectStatus(200, await signIn(person.user.username)).body.data.session_token as string;
      const email = newAddress();
      const begun = expectStatus(202, await request(person, email)).body.data;
      expect(begun).toMatchObject({ email, proven: false, approved: false });
      expect(Date.parse(begun.approval_waived_at as string) - Date.parse(begun.requested_at as string)).toBe(
        48 * HOUR_MS,
      );
      expect(await meOf(person)).toMatchObject({ email: person.user.email, pending_email: email });
      expect((await app.fetch(EMAIL, as(person))).body.data).toEqual({
        email: person.user.email,
        email_verified: false,
        change: begun,
      });

      const [proof, approval] = [await proofOf(email), await approvalOf(person)];
      expect(proof.text).toContain(`http://app.test/confirm-email-change#token=${proof.token}`);
      expect(approval.text).toContain(email);
      const mails = first === 'new' ? [proof, approval] : [approval, proof];
      expect(expectStatus(200, await confirm(mails[0]!)).body.data).toEqual({
        email_changed: false,
        waits_for: first === 'new' ? 'old_address' : 'new_address',
      });
      expect(await meOf(person)).toMatchObject({ email: person.user.email });
      expect(expectStatus(200, await confirm(mails[1]!, other)).body.data).toEqual({ email_changed: true });

      const user = await meOf(person);
      expect(user).toMatchObject({ email, email_verified: true });
      expect(user).not.toHaveProperty('pending_email');
      expect(await meOf(key)).toMatchObject({ email });
      expect(errorOf(await other.fetch('/api/v1/me', as(elsewhere)))).toEqual([401, 'invalid_session']);
      for (const address of [person.user.email, email]) await mailTo(app, address, 'was changed');
      expect(errorOf(await signIn(person.user.email))).toEqual([401, 'invalid_credentials']);
      expectStatus(200, await signIn(email));
    }
  });

  it('takes each token once, in all processes together, and is made once', async () => {
    const person = await make.person();
    const email = newAddress();
    expectStatus(202, await request(person, email));
    const [proof, approval] = [await proofOf(email), await approvalOf(person)];
    const answers = await Promise.all(
      [proof, approval].flatMap((mail) => [app, other, app].map((at) => confirm(mail, at))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 400, 400, 400, 400]);
    expect(answers.filter(({ body }) => body.data?.email_changed === true)).toHaveLength(1);
    expect(errorOf(await confirm(proof))).toEqual([400, 'invalid_email_token']);
    expect((await auditOf(person)).map((entry) => (entry as { action: string }).action).sort()).toEqual([
      'email.change_approved',
      'email.change_proven',
      'email.change_requested',
      'email.changed',
    ]);
  });

  it('leaves no address in the audit log', async () => {
    const person = await make.person();
    const email = newAddress();
    expectStatus(202, await request(person, email));
    for (const mail of [await proofOf(email), await approvalOf(person)]) expectStatus(200, await confirm(mail));
    const entries = await auditOf(person);
    expect(entries).toContainEqual({ action: 'email.changed', details: { approved_by: 'old_address' } });
    expect(JSON.stringify(entries)).not.toContain('@');
  });

  it('is made after 48 hours and two messages where the old address is lost', async () => {
    const person = await make.person();
    const email = newAddress();
    expectStatus(202, await request(person, email));
    expectStatus(200, await confirm(await proofOf(email)));
    await approvalOf(person);
    pass(25 * HOUR_MS);
    await app.runSchedule('email-changes');
    await approvalOf(person, 2);
    pass(22 * HOUR_MS);
    await app.runSchedule('email-changes');
    expect(await meOf(person)).toMatchObject({ email: person.user.email });
    pass(2 * HOUR_MS);
    await Promise.all([app.runSchedule('email-changes'), app.runSchedule('email-changes')]);
    expect(await meOf(person)).toMatchObject({ email });
    await mailTo(app, person.user.email, 'was changed');
    expect(await auditOf(person)).toContainEqual({ action: 'email.changed', details: { approved_by: 'waiting' } });
    expect(mailsFor(person.user.email).filter((subject) => subject.includes('was changed'))).toHaveLength(1);
  });

  it('is made at once by a new address that confirms it after 48 hours, and never without its proof', async () => {
    const person = await make.person();
    const email = newAddress();
    expectStatus(202, await request(person, email));
    const proof = await proofOf(email);
    pass(49 * HOUR_MS);
    await app.runSchedule('email-changes');
    expect(await meOf(person)).toMatchObject({ email: person.user.email, pending_email: email });
    expect(expectStatus(200, await confirm(proof)).body.data).toEqual({ email_changed: true });
  });

  it('ends after seven days, and its rows are deleted 30 days later', async () => {
    const person = await make.person();
    const email = newAddress();
    expectStatus(202, await request(person, email));
    const proof = await proofOf(email);
    pass(7 * 24 * HOUR_MS + 1);
    expect(errorOf(await confirm(proof))).toEqual([400, 'invalid_email_token']);
    await app.runSchedule('email-changes');
    const rowsOf = (): Promise<unknown[]> =>
      make.sql('SELECT id FROM email_changes WHERE user_id = $1', [person.user.id]);
    expect(await rowsOf()).toHaveLength(1);
    pass(31 * 24 * HOUR_MS);
    await app.runSchedule('email-changes');
    expect(await rowsOf()).toHaveLength(0);
  });

  it('looks the same when another account has the new address, whose owner gets a notice', async () => {
    const owner = await make.person();
    const [taken, free] = [owner.user.email.toUpperCase(), newAddress()];
    const shown = await Promise.all(
      [taken, free].map(async (email) => {
        const asking = await make.person();
        const { status, body } = await request(asking, email);
        const { change } = (await app.fetch(EMAIL, as(asking))).body.data;
        return [status, Object.keys(body.data as object), change.email === email, change.proven];
      }),
    );
    expect(shown[0]).toEqual(shown[1]);
    const notice = await mailTo(app, owner.user.email, 'was entered for another');
    expect(notice.token).toBe('');
    await allSent();
    expect(mailsFor(taken).filter((subject) => subject.includes('Confirm'))).toEqual([]);
  });

  it('is refused when an account with the address was created meanwhile, and is dropped after its time', async () => {
    const person = await make.person();
    const email = newAddress();
    expectStatus(202, await request(person, email));
    const [proof, approval] = [await proofOf(email), await approvalOf(person)];
    expectStatus(200, await confirm(proof));
    await make.person({ email });
    expect(errorOf(await confirm(approval))).toEqual([409, 'email_taken']);
    pass(49 * HOUR_MS);
    await app.runSchedule('email-changes');
    expect((await app.fetch(EMAIL, as(person))).body.data).toMatchObject({ email: person.user.email });
    expect(await meOf(person)).not.toHaveProperty('pending_email');
    expect(await auditOf(person)).toContainEqual({
      action: 'email.change_failed',
      details: { reason: 'address_taken' },
    });
  });

  it('is cancelled by its person, by a new password and by another change, and its tokens stop working', async () => {
    const stops: ((person: Person) => Promise<Answer>)[] = [
      (person) => app.call('DELETE', `${EMAIL}/change`, as(person)),
      (person) =>
        send(
          app,
          ['PUT', '/api/v1/auth/password'],
          { current_password: TEST_PASSWORD, new_password: 'another long secret' },
          as(person),
        ),
      async (person) => {
        expectStatus(202, await app.post(FORGOT, { email: person.user.email }));
        const { token } = await mailTo(app, person.user.email, 'Reset your password');
        return app.post(RESET, { token, password: 'another long secret' });
      },
      (person) => request(person, newAddress()),
    ];
    for (const stop of stops) {
      const person = await make.person();
      const email = newAddress();
      expectStatus(202, await request(person, email));
      const mails = [await proofOf(email), await approvalOf(person)];
      expect((await stop(person)).status).toBeLessThan(300);
      for (const mail of mails) expect(errorOf(await confirm(mail))).toEqual([400, 'invalid_email_token']);
      expect(await auditOf(person)).toContainEqual({ action: 'email.change_cancelled', details: {} });
    }
  });

  it('lets no message to the old address reset the password or verify it afterwards', async () => {
    const person = await make.person();
    const email = newAddress();
    const { token: verify } = await mailTo(app, person.user.email, 'Verify');
    expectStatus(202, await app.post(FORGOT, { email: person.user.email }));
    const { token: reset } = await mailTo(app, person.user.email, 'Reset your password');
    expectStatus(202, await request(person, email));
    for (const mail of [await proofOf(email), await approvalOf(person)]) expectStatus(200, await confirm(mail));
    expect(errorOf(await app.post(RESET, { token: reset, password: 'another long secret' }))).toEqual([
      400,
      'invalid_email_token',
    ]);
    expect(errorOf(await app.post('/api/v1/auth/verify-email', { token: verify }))).toEqual([
      400,
      'invalid_email_token',
    ]);
    // A message that was underway to the old address while it changed.
    expectStatus(202, await app.post(FORGOT, { email }));
    const { token: late } = await mailTo(app, email, 'Reset your password');
    await make.sql("UPDATE email_tokens SET email = $2 WHERE user_id = $1 AND purpose = 'reset_password'", [
      person.user.id,
      person.user.email,
    ]);
    expect(errorOf(await app.post(RESET, { token: late, password: 'another long secret' }))).toEqual([
      400,
      'invalid_email_token',
    ]);
    expectStatus(200, await signIn(email));
  });

  it('concerns the account of its session alone', async () => {
    const [ada, grace] = [await make.person(), await make.person()];
    const email = newAddress();
    expectStatus(202, await request(ada, email));
    expect((await app.fetch(EMAIL, as(grace))).body.data).toEqual({ email: grace.user.email, email_verified: false });
    expect(errorOf(await app.call('DELETE', `${EMAIL}/change`, as(grace)))).toEqual([404, 'email_change_not_found']);
    expect(await meOf(ada)).toMatchObject({ pending_email: email });
  });

  it('returns 404 for a second cancellation, and 400 for bodies that are none', async () => {
    const person = await make.person();
    expectStatus(202, await request(person, newAddress()));
    expectStatus(204, await app.call('DELETE', `${EMAIL}/change`, as(person)));
    expect(errorOf(await app.call('DELETE', `${EMAIL}/change`, as(person)))).toEqual([404, 'email_change_not_found']);
    for (const body of [{}, { email: 7 }, { email: 'nobody' }, { email: `${'x'.repeat(250)}@example.org` }])
      expect(errorOf(await app.post(EMAIL, body, as(person)))).toEqual([400, 'invalid_request']);
    const unchanged = await request(person, person.user.email.toUpperCase());
    expect([unchanged.status, unchanged.body.error.details[0]]).toMatchObject([
      400,
      { path: 'email', code: 'unchanged' },
    ]);
    for (const body of [{}, { token: 7 }, { token: '' }])
      expect(errorOf(await app.post(CONFIRM, body))).toEqual([400, 'invalid_request']);
    expect(errorOf(await app.post(CONFIRM, { token: person.sessionToken }))).toEqual([400, 'invalid_email_token']);
  });

  it('requires a session, and a recent sign-in to begin but not to cancel', async () => {
    const person = await make.person();
    const key = await make.key(person);
    for (const [method, path] of [
      ['GET', EMAIL],
      ['DELETE', `${EMAIL}/change`],
    ] as const) {
      expect(errorOf(await app.call(method, path))).toEqual([401, 'session_required']);
      expect(errorOf(await app.call(method, path, as(key)))).toEqual([401, 'session_required']);
    }
    expect(errorOf(await app.post(EMAIL, { email: newAddress() }, as(key)))).toEqual([401, 'session_required']);
    expectStatus(202, await request(person, newAddress()));
    pass(HOUR_MS);
    expect(errorOf(await request(person, newAddress()))).toEqual([401, 'recent_sign_in_required']);
    expectStatus(204, await app.call('DELETE', `${EMAIL}/change`, as(person)));
  });

  it('is limited for a person, and for an address that several people name', async () => {
    const person = await make.person();
    for (let count = 0; count < 5; count++) expectStatus(202, await request(person, newAddress()));
    const refused = await request(person, newAddress(), other);
    expect([refused.status, refused.body.error.details.policy]).toEqual([429, 'change_email']);
    const email = newAddress();
    for (let count = 0; count < 5; count++) expectStatus(202, await request(await make.person(), email));
    const flooded = await request(await make.person(), email.toUpperCase());
    expect([flooded.status, flooded.body.error.details.policy]).toEqual([429, 'change_email_address']);
  });
});

describe('a change of an unverified address with EMAIL_VERIFICATION=required', () => {
  const app = useApp({ EMAIL_VERIFICATION: 'required' });
  const make = new Make(app);

  it('needs the proof of the new address alone, and writes nothing to the old one', async () => {
    const person = await make.person();
    const email = `${uniqueName('new')}@example.net`;
    expectStatus(202, await app.post(EMAIL, { email }, as(person)));
    const { token } = await mailTo(app, email, 'Confirm your new');
    expect(expectStatus(200, await app.post(CONFIRM, { token })).body.data).toEqual({ email_changed: true });
    await mailTo(app, email, 'was changed');
    const subjects = mailsOf(app)
      .filter(({ to }) => to === person.user.email)
      .map(({ subject }) => subject);
    expect(subjects).toEqual(['Verify your email address']);
    // The address is free for its owner.
    await make.person({ email: person.user.email });
  });
});
