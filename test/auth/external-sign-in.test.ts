import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { AccountErasureService } from '../../src/modules/people/deletion/account-erasure.service.js';
import { Clock } from '../../src/platform/time/clock.js';
import { beginFlow, completeFlow, FakeBrowser, locationOf, type Provider } from '../support/external-sign-in.js';
import { FakeGithub } from '../support/fake-github.js';
import { FakeGoogle, type Forgery, type GooglePerson } from '../support/fake-google.js';
import { mailsOf, mailTo } from '../support/mailbox.js';
import { as, expectStatus, Make, type Person, send, uniqueName } from '../support/make.js';
import { type Answer, eventually, TEST_PASSWORD, type TestApp, useApp } from '../support/test-app.js';
import { addTotp, codeFor } from '../support/totp.js';

const AUTH = '/api/v1/auth';
const ME = '/api/v1/me/identities';
const MINUTE_MS = 60_000;
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

/** What the tests expect of a person who signed in through a provider. */
interface Entered {
  readonly user: Person['user'];
  readonly organization: Person['organization'];
  readonly sessionToken: string;
}

describe('sign-in with GitHub and Google', () => {
  const settings: NodeJS.ProcessEnv = { FEATURE_FLAG_ALLOWLIST: 'sign_ups', OPS_TOKEN: 'operator-token-of-the-tests' };
  const github = FakeGithub.use(settings);
  const google = FakeGoogle.use(settings);
  const app = useApp(settings);
  const make = new Make(app);
  let other: TestApp;

  beforeAll(async () => {
    other = await app.another({ role: 'api' });
  });
  afterAll(() => other.stop());
  afterEach(() => {
    jest.restoreAllMocks();
    google.behave();
    github.failure = undefined;
  });

  /** Moves the clocks of both processes. */
  const pass = (ms: number): void => {
    for (const each of [app, other]) {
      const clock = each.get(Clock);
      const later = new Date(clock.now().getTime() + ms);
      jest.spyOn(clock, 'now').mockReturnValue(later);
    }
  };
  const errorOf = ({ status, body }: Answer): unknown => [status, body?.error?.code ?? body?.data];

  /** A user of GitHub whose primary address is verified, unless said otherwise. */
  const octocat = ({
    login = uniqueName('octo'),
    email = `${login}@example.org`,
    verified = true,
  }: { login?: string; email?: string; verified?: boolean } = {}): { login: string; email: string } => {
    const account = github.account(login);
    account.emails = [
      { email: `${login}@users.noreply.example.org`, primary: false, verified: true },
      { email, primary: true, verified },
    ];
    return { login, email };
  };
  const googler = (facts: Partial<GooglePerson> = {}): GooglePerson => {
    const sub = randomUUID();
    return { sub, email: `${sub}@example.org`, email_verified: true, ...facts };
  };
  const allow =
    (who: string | GooglePerson) =>
    (location: string): string =>
      typeof who === 'string' ? github.authorize(location, who) : google.authorize(location, who);
  const providerOf = (who: string | GooglePerson): Provider => (typeof who === 'string' ? 'github' : 'google');

  /** Signs in from the first step to the last, in one browser. */
  async function signIn(who: string | GooglePerson): Promise<Answer> {
    const flow = await beginFlow(app, providerOf(who));
    return completeFlow(app, flow, await new FakeBrowser(app).walk(flow, allow(who)));
  }

  async function enter(who: string | GooglePerson): Promise<Entered> {
    const { data } = expectStatus(200, await signIn(who)).body;
    return { user: data.user, organization: data.organization, sessionToken: data.session_token };
  }

  async function connect(person: Person | Entered, who: string | GooglePerson): Promise<Answer> {
    const flow = await beginFlow(app, providerOf(who), { person: person.sessionToken });
    const code = await new FakeBrowser(app).walk(flow, allow(who));
    return app.post(`${ME}/complete`, { flow_id: flow.id, code, verifier: flow.verifier }, as(person));
  }

  /** The error with which a sign-in returns instead of a code. */
  async function refusedWith(who: GooglePerson): Promise<string | null> {
    const flow = await beginFlow(app, 'google');
    const browser = new FakeBrowser(app);
    const returned = await browser.comeBack(allow(who)(await browser.start(flow)));
    expect(returned.searchParams.get('code')).toBeNull();
    return returned.searchParams.get('error');
  }

  const meOf = async (person: { sessionToken: string }): Promise<any> =>
    expectStatus(200, await app.fetch('/api/v1/me', as(person.sessionToken))).body.data;
  const actionsOf = async ({ organization, sessionToken }: Entered): Promise<string[]> => {
    const { data } = (await app.fetch(`/api/v1/orgs/${organization.id}/audit-log`, as(sessionToken))).body;
    return data.map(({ action }: { action: string }) => action).reverse();
  };

  describe('accounts', () => {
    it('lists the providers that are set up', async () => {
      const answer = await app.fetch(`${AUTH}/methods`);
      expect(expectStatus(200, answer).body.data).toEqual({ providers: ['github', 'google'] });
    });

    it('creates one for an unknown identity, with the name and the verified address of GitHub', async () => {
      const { login, email } = octocat();
      const entered = await enter(login);
      expect(entered.user).toMatchObject({ username: login, email, email_verified: true });
      expect(entered.organization.slug).toBe(login);
      expect((await meOf(entered)).user).toMatchObject({ has_password: false });
      const [session] = (await app.fetch(`${AUTH}/sessions`, as(entered.sessionToken))).body.data;
      expect(session.methods).toEqual(['github']);
      expect(await actionsOf(entered)).toEqual(['person.signed_up', 'identity.connected', 'session.started']);
      expect((await app.fetch(ME, as(entered.sessionToken))).body.data).toEqual([
        { id: expect.stringMatching(/^idn_/), provider: 'github', name: login, created_at: expect.any(String) },
      ]);
      expect(mailsOf(app).filter(({ to }) => to === email)).toEqual([]);
      // The token has done its work.
      expect(github.hasUserTokens).toBe(false);
      expect((await app.fetch('/metrics')).text).toMatch(
        /auth_sign_ins_total\{result="succeeded",method="github"\} [1-9]/,
      );
    });

    it('finds it again by the id of the person there, whatever login and address have become', async () => {
      const { login } = octocat();
      const first = await enter(login);
      const renamed = uniqueName('renamed');
      github.rename(login, renamed);
      // Another person takes the login, and even the address.
      const taker = octocat({ login, email: first.user.email });
      const again = await enter(renamed);
      expect(again.user.id).toBe(first.user.id);
      expect(errorOf(await signIn(taker.login))).toEqual([409, 'account_exists']);
      const [identity] = (await app.fetch(ME, as(again.sessionToken))).body.data;
      expect(identity).toMatchObject({ name: renamed, last_used_at: expect.any(String) });
    });

    it('creates one for an unknown identity of Google, and finds it by its subject', async () => {
      const person = googler({ email: 'Ada.Lovelace+x@Example.org' });
      const first = await enter(person);
      expect(first.user).toMatchObject({ username: 'ada-lovelace-x', email_verified: true });
      const again = await enter({ ...person, email: 'elsewhere@example.org' });
      expect(again.user.id).toBe(first.user.id);
      const [session] = (await app.fetch(`${AUTH}/sessions`, as(again.sessionToken))).body.data;
      expect(session.methods).toEqual(['google']);
    });

    it('verifies an address only if the provider has', async () => {
      const { login, email } = octocat({ verified: false });
      const [byGithub, byGoogle] = [await enter(login), await enter(googler({ email_verified: false }))];
      expect([byGithub.user.email_verified, byGoogle.user.email_verified]).toEqual([false, false]);
      await mailTo(app, email, 'Verify');
    });

    it('chooses another username if that of the provider is taken, reserved or none at all', async () => {
      const taken = await make.person({ username: uniqueName('taken').slice(0, 20) });
      const byLogin = await enter(octocat({ login: taken.user.username, email: `${randomUUID()}@example.org` }).login);
      expect(byLogin.user.username).toBe(`${taken.user.username}-2`);
      for (const local of ['admin', '--', 'x']) {
        const { user } = await enter(googler({ email: `${local}@${randomUUID()}.example` }));
        expect(user.username).toMatch(/^user-[0-9a-z]{10}$/);
      }
    });

    it('refuses an identity without an address', async () => {
      const account = github.account(uniqueName('octo'));
      expect(errorOf(await signIn(account.login))).toEqual([409, 'identity_without_email']);
      expect(errorOf(await signIn(googler({ email: 'no address' })))).toEqual([409, 'identity_without_email']);
    });

    it('links nothing to an account with the address, whether or not that has proven it', async () => {
      // An attacker may have signed up with the address of a victim, and wait for the victim to come.
      const waiting = await make.person();
      const proven = await make.person();
      await make.sql('UPDATE users SET email_verified_at = now() WHERE id = $1', [proven.user.id]);
      for (const { user } of [waiting, proven]) {
        const email = user.email.toUpperCase();
        for (const who of [octocat({ email }).login, googler({ email }), googler({ email, email_verified: false })])
          expect(errorOf(await signIn(who))).toEqual([409, 'account_exists']);
      }
      const rows = await make.sql('SELECT 1 FROM identities WHERE user_id = ANY($1)', [
        [waiting.user.id, proven.user.id],
      ]);
      expect(rows).toEqual([]);
    });

    it('creates none while the operator lets nobody sign up, and lets in who has one', async () => {
      const { login } = octocat();
      await enter(login);
      const flag = (enabled: boolean): Promise<Answer> =>
        app.post(
          '/ops/features',
          { name: 'sign_ups', enabled },
          { headers: { authorization: `Bearer ${settings.OPS_TOKEN}` } },
        );
      expectStatus(200, await flag(false));
      try {
        expect(errorOf(await signIn(googler()))).toEqual([403, 'feature_disabled']);
        expectStatus(200, await signIn(login));
      } finally {
        expectStatus(200, await flag(true));
      }
    });

    it('notices a sign-in from a new address', async () => {
      const { login, email } = octocat();
      await enter(login);
      await enter(login);
      await mailTo(app, email, 'New sign-in');
    });

    it('has no password until a reset sets one, and no password signs in', async () => {
      const { login, email } = octocat();
      const entered = await enter(login);
      for (const password of [TEST_PASSWORD, 'the password of nobody'])
        expect(errorOf(await app.post(`${AUTH}/sign-in`, { login, password }))).toEqual([401, 'invalid_credentials']);
      const change = { current_password: 'anything at all', new_password: 'plenty of plain words 47' };
      const changed = await send(app, ['PUT', `${AUTH}/password`], change, as(entered.sessionToken));
      expect(errorOf(changed)).toEqual([401, 'invalid_credentials']);
      expectStatus(202, await app.post(`${AUTH}/password/forgot`, { email }));
      const { token } = await mailTo(app, email, 'Reset your password');
      expectStatus(200, await app.post(`${AUTH}/password/reset`, { token, password: 'plenty of plain words 47' }));
      const again = await enter(login);
      expect((await meOf(again)).user).toMatchObject({ has_password: true });
      expectStatus(200, await app.post(`${AUTH}/sign-in`, { login, password: 'plenty of plain words 47' }));
    });

    it('loses what others may have connected with a reset that proves the address', async () => {
      // The attacker says at the provider that the address of the victim is theirs.
      const victim = `${randomUUID()}@example.org`;
      const attacker = googler({ email: victim, email_verified: false });
      const taken = await enter(attacker);
      expectStatus(202, await app.post(`${AUTH}/password/forgot`, { email: victim }));
      const { token } = await mailTo(app, victim, 'Reset your password');
      expectStatus(200, await app.post(`${AUTH}/password/reset`, { token, password: 'plenty of plain words 47' }));
      expect(errorOf(await app.fetch('/api/v1/me', as(taken.sessionToken)))).toEqual([401, 'invalid_session']);
      expect(errorOf(await signIn(attacker))).toEqual([409, 'account_exists']);
    });

    it('keeps connections over a reset of a proven address, unless others may have had access', async () => {
      const { login, email } = octocat();
      await enter(login);
      const reset = async (more: object, nth: number): Promise<void> => {
        expectStatus(202, await app.post(`${AUTH}/password/forgot`, { email }));
        const { token } = await mailTo(app, email, 'Reset your password', nth);
        const body = { token, password: 'plenty of plain words 47', ...more };
        expectStatus(200, await app.post(`${AUTH}/password/reset`, body));
      };
      await reset({}, 1);
      expectStatus(200, await signIn(login));
      await reset({ revoke_keys: true }, 2);
      expect(errorOf(await signIn(login))).toEqual([409, 'account_exists']);
      await mailTo(app, email, 'connected accounts');
    });

    it('asks for the second factor of an account that has one', async () => {
      const person = await make.person();
      const { login } = octocat();
      expectStatus(201, await connect(person, login));
      const { secret } = await addTotp(app, person);
      const challenged = await signIn(login);
      expect(challenged.body.error).toMatchObject({
        code: 'second_factor_required',
        details: { token: expect.stringMatching(/^svc_flow_/), methods: ['totp', 'recovery_code'] },
      });
      const { token } = challenged.body.error.details;
      const done = await app.post(`${AUTH}/second-factor`, { token, code: codeFor(app, secret) });
      const session = expectStatus(200, done).body.data.session_token as string;
      const [current] = (await app.fetch(`${AUTH}/sessions`, as(session))).body.data;
      expect(current.methods).toEqual(['github', 'totp']);
      expect((await app.fetch('/metrics')).text).toMatch(
        /auth_sign_ins_total\{result="challenged",method="github"\} [1-9]/,
      );
    });

    it('uses a code up when it asks for a second factor, also with an idempotency key', async () => {
      const person = await make.person();
      const { login } = octocat();
      expectStatus(201, await connect(person, login));
      await addTotp(app, person);
      const flow = await beginFlow(app, 'github');
      const code = await new FakeBrowser(app).walk(flow, allow(login));
      const headers = { 'idempotency-key': randomUUID() };
      expect(errorOf(await completeFlow(app, flow, code, { headers }))).toEqual([401, 'second_factor_required']);
      expect(errorOf(await completeFlow(app, flow, code))).toEqual([400, 'invalid_flow']);
    });
  });

  describe('identities of an account', () => {
    it('are connected by the person, and then sign in', async () => {
      const person = await make.person();
      const { login } = octocat({ email: person.user.email });
      const added = expectStatus(201, await connect(person, login)).body.data;
      expect(added).toMatchObject({ provider: 'github', name: login });
      expect((await enter(login)).user.id).toBe(person.user.id);
      expect((await meOf(person)).user.has_password).toBe(true);
      const mail = await mailTo(app, person.user.email, 'connected accounts');
      expect(mail.text).toContain(`GitHub ${login}, connected on`);
      expect(errorOf(await connect(person, octocat().login))).toEqual([409, 'already_exists']);
      expectStatus(201, await connect(person, googler()));
    });

    it('belong to one account', async () => {
      const [ada, grace] = [await make.person(), await make.person()];
      const { login } = octocat();
      const { id } = expectStatus(201, await connect(ada, login)).body.data;
      expect(errorOf(await connect(grace, login))).toEqual([409, 'already_exists']);
      expect((await app.fetch(ME, as(grace))).body.data).toEqual([]);
      expect(errorOf(await app.call('DELETE', `${ME}/${id}`, as(grace)))).toEqual([404, 'identity_not_found']);
      expect(errorOf(await app.call('DELETE', `${ME}/idn_nothing`, as(ada)))).toEqual([404, 'identity_not_found']);
      expect((await enter(login)).user.id).toBe(ada.user.id);
    });

    it('end with the sessions and sign-ins that came through them, at the next call in every process', async () => {
      const person = await make.person();
      const { login } = octocat();
      const { id } = expectStatus(201, await connect(person, login)).body.data;
      const entered = await enter(login);
      expectStatus(200, await other.fetch('/api/v1/me', as(entered.sessionToken)));
      const flow = await beginFlow(app, 'github');
      const code = await new FakeBrowser(app).walk(flow, allow(login));
      expectStatus(204, await app.call('DELETE', `${ME}/${id}`, as(person)));
      expect(errorOf(await other.fetch('/api/v1/me', as(entered.sessionToken)))).toEqual([401, 'invalid_session']);
      expectStatus(200, await other.fetch('/api/v1/me', as(person)));
      // The identity is that of nobody now, so that it gets an account of its own.
      const fresh = expectStatus(200, await completeFlow(other, flow, code)).body.data;
      expect(fresh.user.id).not.toBe(person.user.id);
    });

    it('end with the second step of a sign-in that waits', async () => {
      const person = await make.person();
      const { login } = octocat();
      const { id } = expectStatus(201, await connect(person, login)).body.data;
      const { secret } = await addTotp(app, person);
      const { token } = (await signIn(login)).body.error.details;
      expectStatus(204, await app.call('DELETE', `${ME}/${id}`, as(person)));
      expect(errorOf(await app.post(`${AUTH}/second-factor`, { token, code: codeFor(app, secret) }))).toEqual([
        400,
        'invalid_flow',
      ]);
    });

    it('cannot be removed when nothing else signs in, also by two calls at once', async () => {
      const { login } = octocat();
      const entered = await enter(login);
      const [first] = (await app.fetch(ME, as(entered.sessionToken))).body.data;
      const remove = (id: string, at = app): Promise<Answer> =>
        at.call('DELETE', `${ME}/${id}`, as(entered.sessionToken));
      expect(errorOf(await remove(first.id as string))).toEqual([409, 'last_sign_in_method']);
      const second = expectStatus(201, await connect(entered, googler())).body.data;
      const both = await Promise.all([remove(first.id as string), remove(second.id as string, other)]);
      expect(both.map(({ status }) => status).sort()).toEqual([204, 409]);
    });

    it('are changed by a person in a session with a recent sign-in alone', async () => {
      const person = await make.person();
      const key = await make.key(person);
      const body = { method: 'github', return_to: 'http://127.0.0.1:1/', challenge: CHALLENGE };
      const { id } = expectStatus(201, await connect(person, octocat().login)).body.data;
      for (const [method, path] of [
        ['GET', ME],
        ['DELETE', `${ME}/${id}`],
      ] as const) {
        expect(errorOf(await app.call(method, path))).toEqual([401, 'session_required']);
        expect(errorOf(await app.call(method, path, as(key)))).toEqual([401, 'session_required']);
      }
      expect(errorOf(await app.post(ME, body, as(key)))).toEqual([401, 'session_required']);
      pass(15 * MINUTE_MS + 1);
      expect(errorOf(await app.post(ME, body, as(person)))).toEqual([401, 'recent_sign_in_required']);
      expect(errorOf(await app.call('DELETE', `${ME}/${id}`, as(person)))).toEqual([401, 'recent_sign_in_required']);
    });

    it('are connected to the person who began alone, and never by a code of a sign-in', async () => {
      const [ada, grace] = [await make.person(), await make.person()];
      const { login } = octocat();
      const flow = await beginFlow(app, 'github', { person: ada });
      const code = await new FakeBrowser(app).walk(flow, allow(login));
      const shown = { flow_id: flow.id, code, verifier: flow.verifier };
      expect(errorOf(await app.post(`${ME}/complete`, shown, as(grace)))).toEqual([400, 'invalid_flow']);
      expect(errorOf(await completeFlow(app, flow, code))).toEqual([400, 'invalid_flow']);
      const foreign = await beginFlow(app, 'github');
      const foreignCode = await new FakeBrowser(app).walk(foreign, allow(login));
      const lured = { flow_id: foreign.id, code: foreignCode, verifier: foreign.verifier };
      expect(errorOf(await app.post(`${ME}/complete`, lured, as(ada)))).toEqual([400, 'invalid_flow']);
      expectStatus(201, await app.post(`${ME}/complete`, shown, as(ada)));
    });
  });

  describe('an account that its owner deletes', () => {
    const remove = ({ user, sessionToken }: Entered): Promise<Answer> =>
      app.call('DELETE', `/api/v1/me?username=${user.username}`, as(sessionToken));
    const rowsLeft = async ({ user }: Entered): Promise<number> => {
      const tables = ['identities', 'external_sign_ins'];
      const rows = tables.map((table) => `SELECT id FROM ${table} WHERE user_id = $1`);
      return (await make.sql(rows.join(' UNION ALL '), [user.id])).length;
    };

    it('is entered by no identity any more, which then creates another account', async () => {
      const { login } = octocat();
      const first = await enter(login);
      const flow = await beginFlow(app, 'github');
      const code = await new FakeBrowser(app).walk(flow, allow(login));
      expectStatus(204, await remove(first));
      const { user } = expectStatus(200, await completeFlow(other, flow, code)).body.data;
      expect(user).toMatchObject({ username: login, email: first.user.email });
      expect(user.id).not.toBe(first.user.id);
    });

    it('leaves neither identities nor connections that wait, nor one that was made meanwhile', async () => {
      const entered = await enter(octocat().login);
      await beginFlow(app, 'google', { person: entered.sessionToken });
      const erase = jest.spyOn(app.get(AccountErasureService), 'erase').mockResolvedValue();
      expectStatus(204, await remove(entered));
      await eventually(() => erase.mock.calls.length > 0, 'the job runs');
      erase.mockRestore();
      expect(await rowsLeft(entered)).toBe(0);
      // A call that was admitted before the deletion connects another identity.
      await make.sql(
        `INSERT INTO identities (id, user_id, provider, issuer, subject, name, created_at)
          VALUES ('idn_' || substr($1, 5), $1, 'google', 'late', $1, 'late', now())`,
        [entered.user.id],
      );
      await app.get(AccountErasureService).erase(entered.user.id);
      expect(await rowsLeft(entered)).toBe(0);
    });

    it('has its identities in the export of its data', async () => {
      const { login } = octocat();
      const { text } = expectStatus(200, await app.fetch('/api/v1/me/export', as((await enter(login)).sessionToken)));
      const lines = text
        .trimEnd()
        .split('\n')
        .map((line): any => JSON.parse(line));
      expect(lines.filter(({ type }) => type === 'identity').map(({ data }) => data)).toMatchObject([
        { provider: 'github', name: login },
      ]);
    });
  });

  describe('a code', () => {
    it('counts once, in all processes together', async () => {
      const { login } = octocat();
      await enter(login);
      const flow = await beginFlow(app, 'github');
      const code = await new FakeBrowser(app).walk(flow, allow(login));
      const answers = await Promise.all([1, 2, 3, 4].map((n) => completeFlow([app, other][n % 2]!, flow, code)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
    });

    it('creates one account of several calls at once, and of several sign-ins at once', async () => {
      const person = googler();
      const flows = await Promise.all([1, 2, 3].map(() => beginFlow(app, 'google')));
      const codes = await Promise.all(flows.map((flow) => new FakeBrowser(app).walk(flow, allow(person))));
      const answers = await Promise.all(
        flows.flatMap((flow, n) => [completeFlow(app, flow, codes[n]!), completeFlow(other, flow, codes[n]!)]),
      );
      // The others came too late to find the account and too early to create it.
      expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1);
      for (const { status, body } of answers.filter((each) => each.status !== 200))
        expect(['409 account_exists', '409 username_taken', '400 invalid_flow']).toContain(
          `${status} ${body.error.code}`,
        );
      const rows = await make.sql('SELECT 1 FROM identities WHERE subject = $1', [person.sub]);
      expect(rows).toHaveLength(1);
    });

    it('counts for a minute', async () => {
      const flow = await beginFlow(app, 'github');
      const code = await new FakeBrowser(app).walk(flow, allow(octocat().login));
      pass(MINUTE_MS + 1);
      expect(errorOf(await completeFlow(app, flow, code))).toEqual([400, 'invalid_flow']);
    });

    it('counts with the verifier of its beginner alone, in its own sign-in', async () => {
      const { login } = octocat();
      const [flow, another] = [await beginFlow(app, 'github'), await beginFlow(app, 'github')];
      const code = await new FakeBrowser(app).walk(flow, allow(login));
      const wrong = [
        { ...flow, verifier: another.verifier },
        { ...flow, verifier: `${flow.verifier}~` },
        { ...another, verifier: flow.verifier },
        { id: 'xsi_nothing', verifier: flow.verifier },
      ];
      for (const each of wrong) expect(errorOf(await completeFlow(app, each, code))).toEqual([400, 'invalid_flow']);
      const random = `svc_flow_${randomBytes(20).toString('hex').slice(0, 39)}`;
      expect(errorOf(await completeFlow(app, flow, random))).toEqual([400, 'invalid_flow']);
      expect(errorOf(await completeFlow(app, { ...flow, verifier: 'short' }, code))).toEqual([400, 'invalid_request']);
      expectStatus(200, await completeFlow(app, flow, code));
    });

    it('is put into a cookie of a page of this service, and of no other', async () => {
      const { login } = octocat();
      const complete = async (site: string): Promise<Answer> => {
        const flow = await beginFlow(app, 'github', { returnTo: 'http://api.test/app/sign-in/return' });
        const code = await new FakeBrowser(app).walk(flow, allow(login));
        const headers = { 'x-service-session': 'cookie', 'sec-fetch-site': site };
        return completeFlow(app, flow, code, { headers });
      };
      const done = expectStatus(200, await complete('same-origin'));
      expect(done.body.data.session_token).toBeUndefined();
      expect(done.headers.get('set-cookie')).toMatch(/^svc_web=svc_web_\w+; Path=\/; HttpOnly; SameSite=Lax/);
      expect(errorOf(await complete('cross-site'))).toEqual([403, 'cross_site_request']);
    });
  });

  describe('a browser', () => {
    it('returns to where the sign-in began, with a code and nothing else that counts', async () => {
      const flow = await beginFlow(app, 'github', { returnTo: 'http://api.test/app/sign-in/return?code=mine&a=b' });
      const browser = new FakeBrowser(app);
      const returned = await browser.comeBack(allow(octocat().login)(await browser.start(flow)));
      expect([...returned.searchParams.keys()]).toEqual(['a', 'code']);
      expect(`${returned.origin}${returned.pathname}`).toBe('http://api.test/app/sign-in/return');
      expect(returned.searchParams.get('code')).toMatch(/^svc_flow_/);
      expect(browser.cookie).toBeUndefined();
    });

    it('gets a cookie for this host alone, which scripts cannot read', async () => {
      const { path } = await beginFlow(app, 'github');
      const answer = await new FakeBrowser(app).open(path);
      expect(answer.headers.get('set-cookie')).toMatch(
        /^svc_flow=svc_flow_\w{39}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/,
      );
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
      expect(answer.headers.get('cache-control')).toBe('no-store');
    });

    it('ends what it began: another one that is led into a sign-in gets no code', async () => {
      const { login } = octocat();
      const [attacker, victim] = [new FakeBrowser(app), new FakeBrowser(app)];
      const flow = await beginFlow(app, 'github');
      const back = allow(login)(await attacker.start(flow));
      // The attacker keeps the answer of the provider back, and leads the victim there.
      const finish = locationOf(await victim.open(back));
      expect(errorOf(await jsonOf(finish))).toEqual([400, 'invalid_flow']);
      expect((await victim.open(finish)).status).toBe(400);
      victim.cookie = `svc_flow=svc_flow_${'A'.repeat(39)}`;
      expect((await victim.open(finish)).status).toBe(400);
      victim.cookie = `${attacker.cookie}; svc_flow=svc_flow_${'A'.repeat(39)}`;
      expect((await victim.open(finish)).status).toBe(400);
      expect((await attacker.open(finish)).status).toBe(303);
    });

    it('cannot go to the provider with a sign-in that another one has begun, but again with its own', async () => {
      const { login } = octocat();
      const flow = await beginFlow(app, 'github');
      const browser = new FakeBrowser(app);
      const first = await browser.start(flow);
      expect((await new FakeBrowser(app).open(flow.path)).status).toBe(400);
      const again = await browser.start(flow);
      // The state of the first attempt is over.
      expect((await browser.open(allow(login)(first))).status).toBe(400);
      const returned = await browser.comeBack(allow(login)(again));
      expect(returned.searchParams.get('code')).not.toBeNull();
      expect((await browser.open(flow.path)).status).toBe(400);
    });

    it('comes back once, within ten minutes, and finishes once', async () => {
      const { login } = octocat();
      const flow = await beginFlow(app, 'github');
      const browser = new FakeBrowser(app);
      const back = allow(login)(await browser.start(flow));
      const { cookie } = browser;
      const finish = locationOf(await browser.open(back));
      expect((await browser.open(back)).status).toBe(400);
      locationOf(await browser.open(finish));
      browser.cookie = cookie;
      expect((await browser.open(finish)).status).toBe(400);

      const late = await beginFlow(app, 'github');
      const lateBack = allow(login)(await new FakeBrowser(app).start(late));
      pass(10 * MINUTE_MS + 1);
      expect((await browser.open(lateBack)).status).toBe(400);
      expect((await browser.open(late.path)).status).toBe(400);
    });

    it('comes back with the state of its sign-in, to the provider that it went to', async () => {
      const { login } = octocat();
      const [one, two] = [new FakeBrowser(app), new FakeBrowser(app)];
      const flows = [await beginFlow(app, 'github'), await beginFlow(app, 'github')];
      const backs = [
        new URL(allow(login)(await one.start(flows[0]!))),
        new URL(allow(login)(await two.start(flows[1]!))),
      ];
      // The code of one sign-in with the state of another one: the provider checks the verifier.
      const swapped = new URL(backs[0]!);
      swapped.searchParams.set('state', backs[1]!.searchParams.get('state')!);
      const returned = await two.comeBack(swapped.href);
      expect([...returned.searchParams]).toEqual([
        ['tab', '1'],
        ['error', 'provider_refused'],
      ]);
      const elsewhere = backs[0]!.href.replace('/callback/github', '/callback/google');
      expect((await one.open(elsewhere)).status).toBe(400);
      expect((await one.open(backs[0]!.href.replace('/callback/github', '/callback/nobody'))).status).toBe(400);
      const forged = new URL(backs[0]!);
      forged.searchParams.set('state', `svc_flow_${'A'.repeat(39)}`);
      expect((await one.open(forged.href)).status).toBe(400);
      forged.searchParams.delete('state');
      expect((await one.open(forged.href)).status).toBe(400);
      forged.searchParams.append('state', 'a');
      forged.searchParams.append('state', 'b');
      expect((await one.open(forged.href)).status).toBe(400);
    });

    it('sees a page when a sign-in is over, and a program gets JSON', async () => {
      const page = await new FakeBrowser(app).open('/sign-in/xsi_00000000000000000000000000');
      expect(page.status).toBe(400);
      expect(page.headers.get('content-type')).toMatch(/^text\/html/);
      expect(errorOf(await jsonOf('/sign-in/xsi_00000000000000000000000000/finish'))).toEqual([400, 'invalid_flow']);
    });

    it('returns with an error when the person does not allow it, and when the provider fails', async () => {
      const denied = async (error: string): Promise<string | null> => {
        const flow = await beginFlow(app, 'github');
        const browser = new FakeBrowser(app);
        const state = new URL(await browser.start(flow)).searchParams.get('state')!;
        const query = new URLSearchParams({ state, error });
        const returned = await browser.comeBack(`/sign-in/callback/github?${query.toString()}`);
        return returned.searchParams.get('error');
      };
      expect(await denied('access_denied')).toBe('access_denied');
      expect(await denied('<script>')).toBe('provider_refused');

      const flow = await beginFlow(app, 'github');
      const browser = new FakeBrowser(app);
      const back = allow(octocat().login)(await browser.start(flow));
      github.failure = { status: 503, body: {} };
      expect((await browser.comeBack(back)).searchParams.get('error')).toBe('provider_unavailable');
      expect((await app.fetch('/metrics')).text).toMatch(
        /identity_provider_answers_total\{provider="github",result="unavailable"\} [1-9]/,
      );
    });
  });

  describe('what begins', () => {
    const body = (more: object): object => ({
      method: 'github',
      return_to: 'http://127.0.0.1:1/',
      challenge: CHALLENGE,
      ...more,
    });

    it.each(['http://api.test/app/sign-in/return', 'http://127.0.0.1:8080/', 'http://[::1]:8080/done?x=1'])(
      'may return to %s',
      async (place) => {
        expectStatus(201, await app.post(`${AUTH}/flows`, body({ return_to: place })));
      },
    );

    it.each([
      'https://evil.example/',
      'http://api.test.evil.example/app',
      'http://api.test@evil.example/',
      'http://evil.example\\@api.test/',
      'http://evil.example/\\api.test',
      'http://api.test:81/app',
      'https://api.test/app',
      'http://localhost:8080/',
      'http://127.0.0.1.evil.example/',
      'https://127.0.0.1:8080/',
      'http://user:pass@127.0.0.1:8080/',
      'http://127.0.0.1:8080/#here',
      '//evil.example/',
      '/app',
      'javascript:alert(1)',
      'http:/\\evil.example',
      'http://api.test/\n',
      ' http://api.test/',
      `http://api.test/${'a'.repeat(1_000)}`,
    ])('may not return to %j', async (place) => {
      expect(errorOf(await app.post(`${AUTH}/flows`, body({ return_to: place })))).toEqual([400, 'invalid_request']);
    });

    it('names a provider and a challenge', async () => {
      for (const more of [{ method: 'gitlab' }, { challenge: 'short' }, { challenge: `${CHALLENGE}=` }])
        expect(errorOf(await app.post(`${AUTH}/flows`, body(more)))).toEqual([400, 'invalid_request']);
    });

    it('is limited for each address', async () => {
      const from = '198.18.7.7';
      const begin = (): Promise<Answer> => app.post(`${AUTH}/flows`, body({}), { from });
      const answers = await Promise.all(Array.from({ length: 31 }, begin));
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(1);
    });

    it('is deleted when it was not completed, with what the provider said', async () => {
      const flow = await beginFlow(app, 'google');
      await new FakeBrowser(app).walk(flow, allow(googler()));
      pass(10 * MINUTE_MS + 1);
      await app.runSchedule('external-sign-ins');
      expect(await make.sql('SELECT 1 FROM external_sign_ins WHERE id = $1', [flow.id])).toEqual([]);
    });

    it('stores no secret that signs in', async () => {
      const flow = await beginFlow(app, 'github');
      const browser = new FakeBrowser(app);
      const location = await browser.start(flow);
      const state = new URL(location).searchParams.get('state')!;
      const returned = await browser.comeBack(allow(octocat().login)(location));
      const [row] = await make.sql('SELECT external_sign_ins::text AS text FROM external_sign_ins WHERE id = $1', [
        flow.id,
      ]);
      for (const secret of [state, returned.searchParams.get('code')!, flow.verifier])
        expect(row!.text).not.toContain(secret);
    });
  });

  describe('an ID token of Google', () => {
    const foreignKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const now = (): number => Math.floor(Date.now() / 1_000);

    const forgeries: [string, () => Forgery][] = [
      ['another issuer', () => ({ claims: { iss: 'https://evil.example' } })],
      ['another client', () => ({ claims: { aud: 'another-client' } })],
      ['several clients and none authorized', () => ({ claims: { aud: [google.clientId, 'b'], azp: undefined } })],
      ['another authorized party', () => ({ claims: { azp: 'another-client' } })],
      ['another nonce', () => ({ claims: { nonce: 'that of an earlier sign-in' } })],
      ['no nonce', () => ({ claims: { nonce: undefined } })],
      ['an end that has passed', () => ({ claims: { iat: now() - 300, exp: now() - 120 } })],
      ['no end', () => ({ claims: { exp: undefined } })],
      ['a time long ago', () => ({ claims: { iat: now() - 3_600 } })],
      ['a time to come', () => ({ claims: { iat: now() + 3_600, exp: now() + 7_200 } })],
      ['a beginning to come', () => ({ claims: { nbf: now() + 3_600 } })],
      ['no subject', () => ({ claims: { sub: undefined } })],
      ['an empty subject', () => ({ claims: { sub: '' } })],
      ['a subject that is too long', () => ({ claims: { sub: 's'.repeat(256) } })],
      ['the key of nobody', () => ({ key: foreignKey })],
      ['an unknown key', () => ({ key: foreignKey, header: { kid: 'unknown' } })],
      ['no signature', () => ({ token: (claims) => `${part({ alg: 'none' })}.${part(claims)}.` })],
      ['a signature by HMAC with the public key', () => ({ header: { alg: 'HS256' }, key: publicPem() })],
      ['a critical header that nobody knows', () => ({ header: { crit: ['unknown'], unknown: true } })],
      ['text that is no token', () => ({ token: () => 'no token' })],
      ['a token that is too long', () => ({ claims: { name: 'n'.repeat(16_000) } })],
    ];
    const publicPem = (): Uint8Array => Buffer.from(google.publicKey.export({ type: 'spki', format: 'pem' }));

    it.each(forgeries)('is refused with %s', async (_name, forgery) => {
      google.forgery = forgery();
      expect(await refusedWith(googler())).toBe('provider_refused');
    });

    it('is refused in a second sign-in', async () => {
      const person = googler();
      let kept = '';
      google.forgery = {
        token: (claims) => {
          kept = JSON.stringify(claims);
          return 'no token';
        },
      };
      await refusedWith(person);
      google.forgery = { claims: JSON.parse(kept) };
      expect(await refusedWith(person)).toBe('provider_refused');
    });

    it('is taken when it is signed with a new key', async () => {
      const person = googler();
      await enter(person);
      google.rotate();
      // Unknown keys make the service ask for the keys again at most every half a minute.
      pass(30_001);
      google.forgery = { claims: { iat: now() + 30, exp: now() + 3_600 } };
      expectStatus(200, await signIn(person));
    });

    it('is refused when the answer names another issuer', async () => {
      google.namedIssuer = 'https://evil.example';
      expect(await refusedWith(googler())).toBe('provider_refused');
    });
  });

  const jsonOf = (path: string): Promise<Answer> => app.fetch(path);
});

describe('an issuer that the operator has set', () => {
  const settings: NodeJS.ProcessEnv = {};
  const google = FakeGoogle.use(settings);
  const app = useApp(settings, 'api');

  const begun = async (): Promise<Answer> => {
    const { path } = await beginFlow(app, 'google');
    return app.fetch(path);
  };

  it('is asked for nothing at private addresses, and not without TLS elsewhere', async () => {
    google.failure = 503;
    expect((await begun()).body.error).toMatchObject({ code: 'upstream_error', details: { provider: 'google' } });
    google.failure = undefined;
    for (const metadata of [
      { issuer: 'https://evil.example' },
      { authorization_endpoint: 'http://evil.example/' },
      { token_endpoint: 'http://evil.example/' },
      { jwks_uri: 'http://127.0.0.1:1/keys' },
      { jwks_uri: 'file:///etc/passwd' },
      { token_endpoint: undefined },
    ]) {
      google.metadata = metadata;
      expect((await begun()).status).toBe(502);
    }
    // Metadata are kept for an hour, so that what follows is the last of it.
    google.metadata = { jwks_uri: 'https://127.0.0.1/keys', authorization_response_iss_parameter_supported: true };
    const returnedWith = async (): Promise<string | null> => {
      const flow = await beginFlow(app, 'google');
      const browser = new FakeBrowser(app);
      const back = google.authorize(await browser.start(flow), { sub: '1', email: 'a@example.org' });
      return (await browser.comeBack(back)).searchParams.get('error');
    };
    expect(await returnedWith()).toBe('provider_unavailable');
    // This issuer says that its answers name it.
    google.namedIssuer = undefined;
    expect(await returnedWith()).toBe('provider_refused');
  });

  it('is the only provider', async () => {
    expect((await app.fetch(`${AUTH}/methods`)).body.data).toEqual({ providers: ['google'] });
    const body = { method: 'github', return_to: 'http://127.0.0.1:1/', challenge: CHALLENGE };
    const refused = await app.post(`${AUTH}/flows`, body);
    expect([refused.status, refused.body.error.code]).toEqual([409, 'integration_not_configured']);
  });
});
