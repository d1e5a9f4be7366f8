import { as, expectStatus, Make, type Person } from '../support/make.js';
import { CALLBACK, callMcp, formTokenIn, ISSUER, OAuthBrowser, OAuthFlow, type Tokens } from '../support/oauth.js';
import { type Answer, eventually, useApp } from '../support/test-app.js';
import { addTotp, codeFor } from '../support/totp.js';

describe('the page that asks for access, for a person with a second factor', () => {
  const app = useApp({ PUBLIC_URL: ISSUER, ANONYMOUS_CALLS_PER_SECOND: '1000' }, 'api');
  const make = new Make(app);
  const flow = new OAuthFlow(app);
  let person: Person;
  let secret: Buffer;
  let recoveryCode: string;
  let clientId: string;
  let browser: OAuthBrowser;
  let page: string;

  const code = (): string => codeFor(app, secret);

  beforeEach(async () => {
    person = await make.person();
    const added = await addTotp(app, person);
    ({ secret } = added);
    recoveryCode = added.recoveryCodes[0]!;
    clientId = await flow.register();
    browser = new OAuthBrowser(app);
    page = await flow.ask(browser, { clientId });
  });

  /** Sends the password, and returns the page that asks for a code. */
  async function enterPassword(): Promise<Answer> {
    const token = formTokenIn(expectStatus(200, await browser.get(page)).text);
    const { username: login } = person.user;
    return browser.post(`${page}/sign-in`, new URLSearchParams({ token, login, password: person.password }));
  }
  const enterCode = ({ text }: Answer, entered: string): Promise<Answer> => {
    const signIn = /name="flow" value="([^"]+)"/.exec(text)![1]!;
    const fields = { token: formTokenIn(text), flow: signIn, code: entered };
    return browser.post(`${page}/second-factor`, new URLSearchParams(fields));
  };
  async function requireConnected(): Promise<void> {
    const choice = { orgs: [person.organization.id], scopes: ['projects:read'] };
    const called = await flow.consent(browser, page, choice);
    const given = await flow.exchange(called.searchParams.get('code')!, { client_id: clientId });
    const { access_token: token } = expectStatus(200, given).body as Tokens;
    expect((await callMcp(app, token)).text).toContain('list_projects');
  }

  it('asks for a code after the password, and asks for nothing else before it is right', async () => {
    const asked = expectStatus(200, await enterPassword());
    expect(asked.text).toContain('autocomplete="one-time-code"');
    expect(asked.headers.getSetCookie().join()).not.toContain('svc_web');
    // The password alone has signed nobody in.
    expect(expectStatus(200, await browser.get(page)).text).toContain('autocomplete="current-password"');
    const wrong = await enterCode(asked, '000000');
    expect(wrong.status).toBe(401);
    expect(wrong.text).toContain('autocomplete="one-time-code"');
    const log = `/api/v1/orgs/${person.organization.id}/audit-log`;
    await eventually(
      async () => (await app.fetch(log, as(person))).text.includes('"details":{"method":"second_factor"}'),
      'the refused code is in the audit log',
    );
    expectStatus(303, await enterCode(wrong, code()));
    expect(expectStatus(200, await browser.get(page)).text).toContain(person.user.username);
    await requireConnected();
  });

  it('takes a recovery code once', async () => {
    expectStatus(303, await enterCode(expectStatus(200, await enterPassword()), recoveryCode));
    await requireConnected();
    browser = new OAuthBrowser(app);
    page = await flow.ask(browser, { clientId });
    expect((await enterCode(expectStatus(200, await enterPassword()), recoveryCode)).status).toBe(401);
  });

  it('refuses the form of another site, and one without its token', async () => {
    const asked = expectStatus(200, await enterPassword());
    const signIn = /name="flow" value="([^"]+)"/.exec(asked.text)![1]!;
    const fields = new URLSearchParams({ flow: signIn, code: code() });
    expect((await browser.post(`${page}/second-factor`, fields)).status).toBe(403);
    fields.set('token', formTokenIn(asked.text));
    const foreign = { 'sec-fetch-site': 'cross-site', origin: new URL(CALLBACK).origin };
    expect((await browser.post(`${page}/second-factor`, fields, foreign)).status).toBe(403);
    expectStatus(303, await browser.post(`${page}/second-factor`, fields));
  });
});
