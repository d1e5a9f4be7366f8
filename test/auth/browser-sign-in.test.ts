import { Clock } from '../../src/platform/time/clock.js';
import { approve, beginBrowserFlow, browserFlow, decide } from '../support/browser-sign-in.js';
import { completeFlow } from '../support/external-sign-in.js';
import { mailTo } from '../support/mailbox.js';
import { as, expectStatus, Make, type Person, send } from '../support/make.js';
import { type Answer, TEST_PASSWORD, type TestApp, useApp } from '../support/test-app.js';
import { addTotp, codeFor } from '../support/totp.js';

const AUTH = '/api/v1/auth';
const FLOWS = `${AUTH}/flows`;
const MINUTE_MS = 60_000;
const UNKNOWN = { id: 'bsi_01jd3m8yeqf5rb0xkq5ym8s6tn' };

describe('sign-ins of programs that a person lets in', () => {
  const app = useApp();
  const make = new Make(app);
  let other: TestApp;
  let ada: Person;

  beforeAll(async () => {
    other = await app.another({ role: 'api' });
  });
  afterAll(() => other.stop());
  beforeEach(async () => {
    ada = await make.person();
  });
  afterEach(() => {
    jest.restoreAllMocks();
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
  const sessionsOf = async (caller: Person | string): Promise<any[]> =>
    expectStatus(200, await app.fetch(`${AUTH}/sessions`, as(caller))).body.data;
  const signIn = async ({ user }: Person): Promise<string> =>
    expectStatus(200, await app.post(`${AUTH}/sign-in`, { login: user.username, password: TEST_PASSWORD })).body.data
      .session_token as string;
  const endOwnSession = (person: Person): Promise<Answer> => app.call('POST', `${AUTH}/sign-out`, as(person));

  describe('POST /auth/flows with the method browser', () => {
    it('leads to a page of the dashboard, with the method that it should begin with', async () => {
      const { id, authorizeUrl } = await beginBrowserFlow(app);
      expect(authorizeUrl.href).toBe(`http://api.test/app/sign-in/approve?flow=${id}`);
      const hinted = await beginBrowserFlow(app, { hint: 'passkey' });
      expect(hinted.authorizeUrl.search).toBe(`?flow=${hinted.id}&hint=passkey`);
    });

    it.each([
      ['the dashboard', 'http://api.test/app'],
      ['another site', 'https://evil.example/x'],
      ['a name', 'http://localhost:49152/x'],
      ['TLS on this machine', 'https://127.0.0.1:49152/x'],
      ['an address of the network', 'http://10.0.0.1:49152/x'],
      ['a host that only begins so', 'http://127.0.0.1.evil.example/x'],
      ['a name before the host', 'http://127.0.0.1:1@evil.example/x'],
      ['another scheme', 'app://127.0.0.1/x'],
    ])('returns to a program on the machine of the person alone, and not to %s', async (_what, place) => {
      expect(errorOf(await app.post(FLOWS, browserFlow({ return_to: place })))).toEqual([400, 'invalid_request']);
    });

    it.each([
      ['no name', { client_name: undefined }],
      ['an empty name', { client_name: ' ' }],
      ['a long name', { client_name: 'n'.repeat(101) }],
      ['a name of two lines', { client_name: 'one\ntwo' }],
      ['an unknown hint', { hint: 'password' }],
      ['no challenge', { challenge: undefined }],
      ['a verifier in place of its hash', { challenge: 'x' }],
      ['a name for a provider', { method: 'github' }],
    ])('answers 400 for %s', async (_what, fields) => {
      expect(errorOf(await app.post(FLOWS, browserFlow(fields)))).toEqual([400, 'invalid_request']);
    });

    it('is not a way to connect an identity', async () => {
      const answer = await app.post('/api/v1/me/identities', browserFlow(), as(ada));
      expect(errorOf(answer)).toEqual([400, 'invalid_request']);
    });

    it('is limited by address', async () => {
      const from = '203.0.113.77';
      const answers = await Promise.all(Array.from({ length: 31 }, () => app.post(FLOWS, browserFlow(), { from })));
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(30);
      expect(errorOf(answers.find(({ status }) => status !== 201)!)).toEqual([429, 'burst_limit_exceeded']);
    });
  });

  describe('GET /auth/flows/:flow_id', () => {
    it('says what asks, where it listens and since when', async () => {
      const { id } = await beginBrowserFlow(app, { client_name: '  <b>Tool</b>  ' });
      const { data } = expectStatus(200, await other.fetch(`${FLOWS}/${id}`, as(ada))).body;
      expect(data).toEqual({
        id,
        client_name: '<b>Tool</b>',
        return_to: 'http://127.0.0.1:49152/signed-in?state=abc',
        created_at: expect.any(String),
        expires_at: expect.any(String),
      });
      expect(Date.parse(data.expires_at as string) - Date.parse(data.created_at as string)).toBe(10 * MINUTE_MS);
    });
  });

  describe.each([
    ['GET /auth/flows/:flow_id', 'GET', ''],
    ['POST /auth/flows/:flow_id/approve', 'POST', '/approve'],
    ['POST /auth/flows/:flow_id/deny', 'POST', '/deny'],
  ])('%s', (_name, method, end) => {
    const call = (id: string, options: object = as(ada)): Promise<Answer> =>
      app.call(method, `${FLOWS}/${id}${end}`, options);

    it('answers 401 without a session, also with a key', async () => {
      const { id } = await beginBrowserFlow(app);
      const key = await make.key(ada);
      expect(errorOf(await call(id, {}))).toEqual([401, 'session_required']);
      expect(errorOf(await call(id, as(key)))).toEqual([401, 'session_required']);
      expectStatus(200, await call(id));
    });

    it('answers 403 to a page of another site', async () => {
      const { id } = await beginBrowserFlow(app);
      const { headers } = await app.post(
        `${AUTH}/sign-in`,
        { login: ada.user.username, password: TEST_PASSWORD },
        { headers: { 'x-service-session': 'cookie', 'sec-fetch-site': 'same-origin' } },
      );
      const cookie = headers.get('set-cookie')!.split(';')[0]!;
      const from = (site: string): object => ({
        headers: { 'x-service-session': 'cookie', 'sec-fetch-site': site, cookie },
      });
      expect(errorOf(await call(id, from('cross-site')))).toEqual([403, 'cross_site_request']);
      expectStatus(200, await call(id, from('same-origin')));
    });

    it('answers 400 for one that is unknown, of another kind, or too old', async () => {
      for (const id of [UNKNOWN.id, 'nothing', 'xsi_01jd3m8yeqf5rb0xkq5ym8s6tn'])
        expect([id, errorOf(await call(id))]).toEqual([id, [400, 'invalid_flow']]);
      const { id } = await beginBrowserFlow(app);
      pass(10 * MINUTE_MS);
      expect(errorOf(await call(id, as(await signIn(ada))))).toEqual([400, 'invalid_flow']);
    });

    it('answers 400 once another person has approved it', async () => {
      const flow = await beginBrowserFlow(app);
      const code = await approve(app, flow, await make.person());
      expect(errorOf(await call(flow.id))).toEqual([400, 'invalid_flow']);
      // The decision of the other person stays.
      expectStatus(200, await completeFlow(app, flow, code));
    });
  });

  describe('an approved sign-in', () => {
    it('opens a session of the person, which has shown what the approving one has, and when it did', async () => {
      const { secret } = await addTotp(app, ada);
      const first = await app.post(`${AUTH}/sign-in`, { login: ada.user.username, password: TEST_PASSWORD });
      const { token } = first.body.error.details;
      const { data } = expectStatus(
        200,
        await app.post(`${AUTH}/second-factor`, { token, code: codeFor(app, secret) }),
      ).body;
      pass(5 * MINUTE_MS);
      const flow = await beginBrowserFlow(app);
      const code = await approve(app, flow, data.session_token as string);
      const completed = expectStatus(200, await completeFlow(other, flow, code, { from: '203.0.113.9' })).body.data;
      expect(completed).toMatchObject({
        user: { id: ada.user.id },
        session_token: expect.stringMatching(/^svc_sess_/),
      });
      const sessions = await make.sql(
        'SELECT methods, authenticated_at, ip FROM sessions WHERE user_id = $1 ORDER BY id DESC LIMIT 2',
        [ada.user.id],
      );
      expect(sessions[0]).toEqual({ ...sessions[1], ip: '203.0.113.9' });
      expect(sessions[0]!['methods']).toEqual(['password', 'totp']);
      // It counts as recent as long as the approving session does, and no longer.
      const makeKey = (): Promise<Answer> =>
        app.post('/api/v1/keys', { name: 'k', preset: 'full' }, as(completed.session_token as string));
      expectStatus(201, await makeKey());
      pass(11 * MINUTE_MS);
      expect(errorOf(await makeKey())).toEqual([401, 'recent_sign_in_required']);
    });

    it('is in the audit log and in a notice as every new sign-in is', async () => {
      const flow = await beginBrowserFlow(app);
      const code = await approve(app, flow, ada);
      expectStatus(200, await completeFlow(app, flow, code, { from: '203.0.113.10' }));
      const { data } = (await app.fetch(`/api/v1/orgs/${ada.organization.id}/audit-log`, as(ada))).body;
      const sessions = await sessionsOf(ada);
      const [approving] = sessions.filter(({ current }) => current === true);
      expect(data[0]).toMatchObject({
        action: 'session.started',
        actor: { user_id: ada.user.id },
        details: { approved_in: approving.id },
      });
      await mailTo(app, ada.user.email, 'New sign-in');
      expect((await app.fetch('/metrics')).text).toMatch(
        /auth_sign_ins_total\{result="succeeded",method="browser"\} [1-9]/,
      );
    });

    it('returns to the program with its own query and a code', async () => {
      const flow = await beginBrowserFlow(app, { return_to: 'http://[::1]:8123/back?state=s&code=old' });
      const { data } = expectStatus(200, await decide(app, 'approve', flow, as(ada))).body;
      expect(data.redirect_to).toMatch(/^http:\/\/\[::1\]:8123\/back\?state=s&code=svc_flow_\w{39}$/);
    });

    it('requires that the person signed in a short while ago, so that a key can still be made', async () => {
      const flow = await beginBrowserFlow(app);
      const minutes = async (count: number): Promise<unknown> => {
        pass(count * MINUTE_MS);
        return errorOf(await decide(app, 'approve', await beginBrowserFlow(app), as(ada)));
      };
      expect(await minutes(12)).toEqual([200, expect.anything()]);
      expect(await minutes(2)).toEqual([401, 'recent_sign_in_required']);
      expect(await minutes(6)).toEqual([401, 'recent_sign_in_required']);
      expectStatus(200, await app.post(`${AUTH}/session/confirm`, { password: TEST_PASSWORD }, as(ada)));
      expect(await minutes(0)).toEqual([200, expect.anything()]);
      expect(errorOf(await decide(app, 'deny', flow, as(ada)))).toEqual([400, 'invalid_flow']);
    });

    it('counts once, in all processes together', async () => {
      const flow = await beginBrowserFlow(app);
      const code = await approve(app, flow, ada);
      const answers = await Promise.all([1, 2, 3, 4].map((n) => completeFlow([app, other][n % 2]!, flow, code)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
      expect(await sessionsOf(ada)).toHaveLength(2);
      expect(errorOf(await completeFlow(app, flow, code))).toEqual([400, 'invalid_flow']);
    });

    it('is decided on once, by one of several people at once', async () => {
      const grace = await make.person();
      const flow = await beginBrowserFlow(app);
      const answers = await Promise.all([
        decide(app, 'approve', flow, as(ada)),
        decide(other, 'approve', flow, as(ada)),
        decide(other, 'approve', flow, as(grace)),
        decide(app, 'deny', flow, as(grace)),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
    });

    it('counts for a minute', async () => {
      const flow = await beginBrowserFlow(app);
      const code = await approve(app, flow, ada);
      pass(MINUTE_MS);
      expect(errorOf(await completeFlow(app, flow, code))).toEqual([400, 'invalid_flow']);
    });

    it('counts with the verifier of the program alone, and with its own code', async () => {
      const [flow, another] = [await beginBrowserFlow(app), await beginBrowserFlow(app)];
      const code = await approve(app, flow, ada);
      const foreign = await approve(app, another, ada);
      for (const wrong of [
        { ...flow, verifier: another.verifier },
        { ...another, verifier: flow.verifier },
        { ...flow, ...UNKNOWN },
      ])
        expect(errorOf(await completeFlow(app, wrong, code))).toEqual([400, 'invalid_flow']);
      for (const wrong of [foreign, 'svc_flow_x', ada.sessionToken])
        expect(errorOf(await completeFlow(app, flow, wrong))).toEqual([400, 'invalid_flow']);
      expect(errorOf(await completeFlow(app, { ...flow, verifier: 'short' }, code))).toEqual([400, 'invalid_request']);
      expectStatus(200, await completeFlow(app, flow, code));
    });

    it('cannot be completed before it is approved, and not after it was denied', async () => {
      const flow = await beginBrowserFlow(app);
      const random = await approve(app, await beginBrowserFlow(app), ada);
      expect(errorOf(await completeFlow(app, flow, random))).toEqual([400, 'invalid_flow']);
      const { data } = expectStatus(200, await decide(app, 'deny', flow, as(ada))).body;
      expect(data).toEqual({ redirect_to: 'http://127.0.0.1:49152/signed-in?state=abc&error=access_denied' });
      expect(errorOf(await completeFlow(app, flow, random))).toEqual([400, 'invalid_flow']);
      expect(errorOf(await decide(app, 'approve', flow, as(ada)))).toEqual([400, 'invalid_flow']);
      expect(await sessionsOf(ada)).toHaveLength(1);
    });

    it('opens nothing when the approving session has ended', async () => {
      const flow = await beginBrowserFlow(app);
      const code = await approve(app, flow, ada);
      expectStatus(204, await endOwnSession(ada));
      expect(errorOf(await completeFlow(other, flow, code))).toEqual([400, 'invalid_flow']);
      expect(await sessionsOf(await signIn(ada))).toHaveLength(1);
    });

    it('leaves no session behind when a new password ends all of them at the same moment', async () => {
      for (let round = 0; round < 4; round++) {
        const person = await make.person();
        const changing = await signIn(person);
        const flows = await Promise.all([1, 2, 3].map(() => beginBrowserFlow(app)));
        const codes = await Promise.all(flows.map((flow) => approve(app, flow, person)));
        const passwords = { current_password: TEST_PASSWORD, new_password: 'another long secret' };
        await Promise.all([
          ...flows.map((flow, n) => completeFlow([app, other][n % 2]!, flow, codes[n]!)),
          send(app, ['PUT', `${AUTH}/password`], passwords, as(changing)).then((answer) => expectStatus(200, answer)),
        ]);
        expect((await sessionsOf(changing)).map(({ current }) => current)).toEqual([true]);
      }
    });

    it('is deleted with the session, and by the sweeper when nobody decides', async () => {
      const count = async (id: string): Promise<number> =>
        (await make.sql('SELECT 1 FROM browser_sign_ins WHERE id = $1', [id])).length;
      const [approved, waiting] = [await beginBrowserFlow(app), await beginBrowserFlow(app)];
      await approve(app, approved, ada);
      await make.sql('DELETE FROM sessions WHERE user_id = $1', [ada.user.id]);
      expect([await count(approved.id), await count(waiting.id)]).toEqual([0, 1]);
      pass(11 * MINUTE_MS);
      await app.runSchedule('external-sign-ins');
      expect(await count(waiting.id)).toBe(0);
    });
  });
});
