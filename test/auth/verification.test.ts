import { as, expectStatus, Make, type Person } from '../support/make.js';
import { mailsOf, mailTo } from '../support/mailbox.js';
import { type Answer, eventually, randomAddress, useApp } from '../support/test-app.js';

const KEYS = '/api/v1/keys';
const FORGOT = '/api/v1/auth/password/forgot';
const RESET = '/api/v1/auth/password/reset';
const SIGN_IN = '/api/v1/auth/sign-in';
const NEW_PASSWORD = 'a new long secret';

describe('an unverified account with EMAIL_VERIFICATION=required', () => {
  const app = useApp({ EMAIL_VERIFICATION: 'required' });
  const make = new Make(app);
  const mint = (person: Person): Promise<Answer> => app.post(KEYS, { name: 'a key' }, as(person));
  const verify = async (person: Person): Promise<void> => {
    expectStatus(
      200,
      await app.post('/api/v1/auth/verify-email', { token: (await mailTo(app, person.user.email, 'Verify')).token }),
    );
  };
  /** Simulates a key that was created while the setting was off. */
  const unverify = async ({ user }: Person): Promise<void> => {
    await make.sql('UPDATE users SET email_verified_at = NULL, auth_epoch = auth_epoch + 1 WHERE id = $1', [user.id]);
  };
  const codeOf = ({ status, body }: Answer): unknown => [status, body.error?.code];

  it('cannot create or rotate keys until it is verified', async () => {
    const person = await make.person();
    expect(codeOf(await mint(person))).toEqual([403, 'email_not_verified']);
    await verify(person);
    const key = expectStatus(201, await mint(person)).body.data;
    await unverify(person);
    expect(codeOf(await app.post(`${KEYS}/${key.id}/rotate`, {}, as(await signIn(person))))).toEqual([
      403,
      'email_not_verified',
    ]);
  });

  it('cannot invite members', async () => {
    const person = await make.person();
    const org = await make.org(person);
    const invite = (): Promise<Answer> =>
      app.post(`/api/v1/orgs/${org.id}/members`, { email: 'invited@example.org', role: 'member' }, as(person));
    expect(codeOf(await invite())).toEqual([403, 'email_not_verified']);
    await verify(person);
    expectStatus(201, await invite());
  });

  it('cannot deploy, promote, roll back or push with an older key', async () => {
    const person = await make.person();
    await verify(person);
    const key = await make.key(person);
    const project = expectStatus(201, await app.post('/api/v1/projects', { name: 'shop' }, as(key))).body.data;
    const repository = expectStatus(201, await app.post('/api/v1/repositories', { name: 'shop' }, as(key))).body.data;
    await unverify(person);
    await app.restart();
    for (const [path, body] of [
      [`projects/${project.id}/deploys`, { branch: 'main', type: 'preview' }],
      [`projects/${project.id}/rollback`, {}],
    ] as const) {
      expect([path, codeOf(await app.post(`/api/v1/${path}`, body, as(key)))]).toEqual([
        path,
        [403, 'email_not_verified'],
      ]);
    }
    expect(codeOf(await app.call('POST', '/api/v1/deploys/dpl_0000000000000000000000000z/promote', as(key)))).toEqual([
      403,
      'email_not_verified',
    ]);
    const push = await app.call('POST', `/git/${person.organization.slug}/${repository.name}.git/git-receive-pack`, {
      headers: {
        authorization: `Basic ${Buffer.from(`x:${key}`).toString('base64')}`,
        'content-type': 'application/x-git-receive-pack-request',
      },
      body: '0000',
    });
    expect(push.status).toBe(403);
    expect(push.text).toContain('not verified');
    // What it has, it may read.
    expectStatus(200, await app.fetch(`/api/v1/projects/${project.id}`, as(key)));
  });

  it('is reported by POST /api/v1/auth/explain', async () => {
    const person = await make.person();
    const { data } = expectStatus(
      200,
      await app.post('/api/v1/auth/explain', { method: 'POST', path: KEYS }, as(person)),
    ).body;
    expect(data).toMatchObject({ allowed: false, refused_by: 'email', code: 'email_not_verified' });
  });

  it('receives no message except the verification request', async () => {
    const person = await make.person();
    await mailTo(app, person.user.email, 'Verify');
    await signIn(person);
    await eventually(
      async () => (await make.sql('SELECT 1 FROM outbox_messages')).length === 0,
      'all jobs are with the worker',
    );
    expect(
      mailsOf(app)
        .filter(({ to }) => to === person.user.email)
        .map(({ subject }) => subject),
    ).toEqual(['Verify your email address']);
  });

  const signIn = async ({ user, password }: Person): Promise<string> =>
    expectStatus(200, await app.post(SIGN_IN, { login: user.username, password })).body.data.session_token as string;
});

describe('POST /api/v1/auth/password/reset', () => {
  const app = useApp();
  const make = new Make(app);
  const reset = async ({ user }: Person, body: object = {}): Promise<Answer> => {
    expectStatus(202, await app.post(FORGOT, { email: user.email }));
    const { token } = await mailTo(app, user.email, 'Reset your password');
    return expectStatus(200, await app.post(RESET, { token, password: NEW_PASSWORD, ...body }));
  };
  const statusOf = async (key: string): Promise<unknown> => {
    const answer = await app.fetch('/api/v1/me', as(key));
    return answer.status === 200 ? 200 : answer.body.error.code;
  };
  const verified = async (): Promise<Person> => {
    const person = await make.person();
    expectStatus(
      200,
      await app.post('/api/v1/auth/verify-email', { token: (await mailTo(app, person.user.email, 'Verify')).token }),
    );
    return person;
  };

  it('revokes keys that were created before the address was verified', async () => {
    const squatter = await make.person();
    const [key, bound] = [
      await make.key(squatter),
      await make.key(squatter, { kind: 'org_bound', org_id: (await make.org(squatter)).id }),
    ];
    expect((await reset(squatter)).body.data).toEqual({ reset: true, revoked_keys: 2 });
    expect([await statusOf(key), await statusOf(bound), await statusOf(squatter.sessionToken)]).toEqual([
      'revoked_api_key',
      'revoked_api_key',
      'invalid_session',
    ]);
    const [entry] = await make.sql("SELECT details FROM audit_log WHERE org_id = $1 AND action = 'key.revoked'", [
      squatter.organization.id,
    ]);
    expect(entry).toEqual({ details: { reason: 'password_reset' } });
  });

  it('revokes them with revoke_keys: false as well', async () => {
    const squatter = await make.person();
    const key = await make.key(squatter);
    await reset(squatter, { revoke_keys: false });
    expect(await statusOf(key)).toBe('revoked_api_key');
  });

  it('keeps the keys of a verified account unless revoke_keys is true', async () => {
    const [one, other] = [await verified(), await verified()];
    const [kept, revoked] = [await make.key(one), await make.key(other)];
    expect((await reset(one)).body.data.revoked_keys).toBe(0);
    expect((await reset(other, { revoke_keys: true })).body.data.revoked_keys).toBe(1);
    expect([await statusOf(kept), await statusOf(revoked)]).toEqual([200, 'revoked_api_key']);
  });

  it('revokes keys that are created at the same time', async () => {
    const squatter = await make.person();
    expectStatus(202, await app.post(FORGOT, { email: squatter.user.email }));
    const { token } = await mailTo(app, squatter.user.email, 'Reset your password');
    const minted: Promise<Answer>[] = [];
    const progress = { isOver: false };
    const resetting = app.post(RESET, { token, password: NEW_PASSWORD }).finally(() => {
      progress.isOver = true;
    });
    while (!progress.isOver) {
      minted.push(app.post(KEYS, { name: 'a key' }, as(squatter)));
      await new Promise((resolve) => {
        setTimeout(resolve, 3);
      });
    }
    expectStatus(200, await resetting);
    const secrets = (await Promise.all(minted))
      .filter(({ status }) => status === 201)
      .map(({ body }) => body.data.secret as string);
    expect(secrets.length).toBeGreaterThan(0);
    expect(
      await make.sql('SELECT id FROM api_keys WHERE user_id = $1 AND revoked_at IS NULL', [squatter.user.id]),
    ).toEqual([]);
  });

  it.each(['yes', 1, null])('returns 400 for revoke_keys: %j', async (value) => {
    const answer = await app.post(RESET, { token: 'x', password: NEW_PASSWORD, revoke_keys: value });
    expect([answer.status, answer.body.error.details[0].path]).toEqual([400, 'revoke_keys']);
  });
});

describe('account notifications', () => {
  const app = useApp();
  const make = new Make(app);

  it('are written to files with MAILER=log, where verification is off, as the log says', async () => {
    expect(app.log()).toContainEqual(
      expect.objectContaining({ level: 'info', msg: expect.stringContaining('Email addresses are not verified') }),
    );
    expectStatus(201, await app.post(KEYS, { name: 'a key' }, as(await make.person())));
  });

  it('report a new API key without the key', async () => {
    const person = await make.person();
    const key = await make.key(person, { name: 'for the build server' });
    const mail = await mailTo(app, person.user.email, 'API key');
    expect(mail.text).toContain('for the build server');
    expect(mail.text).toContain(`ends in ${key.slice(-4)}`);
    expect(mail.text).not.toContain('svc_');
  });

  it('report a change of the password and how many keys keep working', async () => {
    const person = await make.person();
    await make.key(person);
    expectStatus(
      200,
      await app.call(
        'PUT',
        '/api/v1/auth/password',
        as(person, {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ current_password: person.password, new_password: NEW_PASSWORD }),
        } as object),
      ),
    );
    const mail = await mailTo(app, person.user.email, 'was changed');
    expect(mail.text).toContain('1 key keeps working');
    expect(mail.text).not.toContain(NEW_PASSWORD);
  });

  it('report a sign-in from a new address once', async () => {
    const [home, elsewhere] = [randomAddress(), randomAddress()];
    const person = await make.person({ from: home });
    const signIn = async (from: string): Promise<void> => {
      expectStatus(
        200,
        await app.post(
          SIGN_IN,
          { login: person.user.username, password: person.password },
          { from, headers: { 'user-agent': 'a\tbrowser' } },
        ),
      );
    };
    for (const from of [home, elsewhere, elsewhere, home]) await signIn(from);
    const mail = await mailTo(app, person.user.email, 'New sign-in');
    expect(mail.text).toContain(`${elsewhere}, a?browser`);
    await eventually(
      async () => (await make.sql('SELECT 1 FROM outbox_messages')).length === 0,
      'all jobs are with the worker',
    );
    expect(
      mailsOf(app).filter(({ to, subject }) => to === person.user.email && subject.includes('New sign-in')),
    ).toHaveLength(1);
  });

  it('report a sign-in from a known address again after a reset', async () => {
    const home = randomAddress();
    const person = await make.person({ from: home });
    expectStatus(202, await app.post(FORGOT, { email: person.user.email }));
    const { token } = await mailTo(app, person.user.email, 'Reset your password');
    expectStatus(200, await app.post(RESET, { token, password: NEW_PASSWORD }));
    expectStatus(200, await app.post(SIGN_IN, { login: person.user.username, password: NEW_PASSWORD }, { from: home }));
    expect((await mailTo(app, person.user.email, 'New sign-in')).text).toContain(home);
  });
});
