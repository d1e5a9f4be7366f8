import { expectStatus, Make, type Person } from '../support/make.js';
import { answerTo, CALLBACK, callMcp, ISSUER, OAuthBrowser, OAuthFlow } from '../support/oauth.js';
import { type Answer, useApp } from '../support/test-app.js';

const SCOPES = ['projects:read'];
const errorOf = ({ status, body }: Answer): string => `${status} ${body?.error ?? ''}`.trim();

describe('attacks on the authorization server', () => {
  const app = useApp({ PUBLIC_URL: ISSUER, ANONYMOUS_CALLS_PER_SECOND: '1000' });
  const make = new Make(app);
  const flow = new OAuthFlow(app);

  const atPage = async (
    person?: Person,
  ): Promise<{ browser: OAuthBrowser; page: string; clientId: string; person: Person }> => {
    const signedIn = person ?? (await make.person());
    const browser = new OAuthBrowser(app);
    await browser.signIn(signedIn);
    const clientId = await flow.register();
    return { browser, page: await flow.ask(browser, { clientId }), clientId, person: signedIn };
  };
  const choiceOf = ({ organization }: Person): { orgs: string[]; scopes: string[] } => ({
    orgs: [organization.id],
    scopes: SCOPES,
  });
  const codeFor = async (): Promise<{ code: string; clientId: string; person: Person }> => {
    const { browser, page, clientId, person } = await atPage();
    const called = await flow.consent(browser, page, choiceOf(person));
    return { code: called.searchParams.get('code')!, clientId, person };
  };
  const grantsOf = (person: Person): Promise<unknown[]> =>
    make.sql('SELECT end_reason FROM oauth_grants WHERE user_id = $1', [person.user.id]);

  it('frames no page, and runs no script on it', async () => {
    const { browser, page } = await atPage();
    const { headers } = expectStatus(200, await browser.get(page));
    const policy = headers.get('content-security-policy')!;
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('script-src');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it.each<[string, Record<string, string>]>([
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['a sibling host', { 'sec-fetch-site': 'same-site', origin: 'http://app.api.test' }],
    ['an unknown page', {}],
  ])('refuses the form of %s', async (_, headers) => {
    const { browser, page, person } = await atPage();
    const shown = expectStatus(200, await browser.get(page));
    expectStatus(403, await browser.post(page, answerTo(shown, choiceOf(person)), headers));
    expect(await grantsOf(person)).toEqual([]);
  });

  it('refuses a form without its token, with that of another request, and with that of another browser', async () => {
    const { browser, page, person } = await atPage();
    const shown = expectStatus(200, await browser.get(page));
    const form = answerTo(shown, choiceOf(person));
    const other = await atPage(person);
    const foreign = answerTo(expectStatus(200, await other.browser.get(other.page)), choiceOf(person));
    const second = await flow.ask(browser, { clientId: await flow.register() });
    const ofSecond = answerTo(expectStatus(200, await browser.get(second)), choiceOf(person));
    for (const token of ['', 'x', foreign.get('token')!, ofSecond.get('token')!]) {
      form.set('token', token);
      expectStatus(403, await browser.post(page, form));
    }
    browser.setCookie(`oauth_form_${page.split('/').at(-1)!}`, 'A'.repeat(43));
    expectStatus(403, await browser.post(page, answerTo(shown, choiceOf(person))));
    expect(await grantsOf(person)).toEqual([]);
  });

  it('shows the request of one browser to no other, so that no person consents to that of another', async () => {
    const { page, browser } = await atPage();
    const victim = new OAuthBrowser(app);
    const person = await make.person();
    await victim.signIn(person);
    expectStatus(400, await victim.get(page));
    const shown = expectStatus(200, await browser.get(page));
    expectStatus(400, await victim.post(page, answerTo(shown, choiceOf(person))));
    expect((await victim.get(page.replace('/oauth/consent', '/oauth/authorize'))).status).toBe(400);
    expect(await grantsOf(person)).toEqual([]);
  });

  it('keeps two pages apart that a browser loads at the same time, and takes the answers to both', async () => {
    const { browser, page, person } = await atPage();
    const other = await flow.ask(browser, { clientId: await flow.register() });
    const shown = await Promise.all([browser.get(page), browser.get(other)]);
    for (const [index, address] of [page, other].entries())
      expectStatus(303, await browser.post(address, answerTo(expectStatus(200, shown[index]!), choiceOf(person))));
    expect(await grantsOf(person)).toHaveLength(2);
  });

  it('asks again when another person signs in between page and answer', async () => {
    const { browser, page, person } = await atPage();
    const shown = expectStatus(200, await browser.get(page));
    const other = await make.person();
    await browser.signIn(other);
    expectStatus(403, await browser.post(page, answerTo(shown, choiceOf(person))));
    expect([...(await grantsOf(person)), ...(await grantsOf(other))]).toEqual([]);
  });

  it('takes one answer to one request', async () => {
    const { browser, page, person } = await atPage();
    const shown = expectStatus(200, await browser.get(page));
    expectStatus(303, await browser.post(page, answerTo(shown, choiceOf(person))));
    expectStatus(400, await browser.post(page, answerTo(shown, choiceOf(person))));
    expect(await grantsOf(person)).toHaveLength(1);
  });

  it.each([
    'https://evil.example/callback',
    `${CALLBACK}/../evil`,
    `${CALLBACK}?next=https://evil.example`,
    'https://client.example.com.evil.example/callback',
    'https://client.example.com@evil.example/callback',
    'javascript:alert(1)',
  ])('leads to no other redirect than a registered one: %s', async (redirectUri) => {
    const clientId = await flow.register();
    const answer = await new OAuthBrowser(app).get(flow.authorizeUrl({ clientId, redirectUri }));
    expect(answer.status).toBe(400);
    expect(answer.headers.get('location')).toBeNull();
    expect(answer.text).not.toContain('<script');
  });

  it('leads to another port of the loopback address, and to no other host', async () => {
    const clientId = await flow.register({ redirect_uris: ['http://127.0.0.1:1/cb'] });
    const browser = new OAuthBrowser(app);
    await flow.ask(browser, { clientId, redirectUri: 'http://127.0.0.1:4711/cb' });
    for (const redirectUri of ['http://127.0.0.1.evil.example:1/cb', 'http://localhost:1/cb', 'http://127.0.0.1:1/x'])
      expectStatus(400, await browser.get(flow.authorizeUrl({ clientId, redirectUri })));
  });

  it.each<[string, Record<string, string | undefined>, string]>([
    ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a token at once', { response_type: 'token' }, 'unsupported_response_type'],
    ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['the API as resource', { resource: `${ISSUER}/api/v1` }, 'invalid_target'],
  ])('refuses a request with %s', async (_, change, error) => {
    const clientId = await flow.register();
    const answer = await new OAuthBrowser(app).get(flow.authorizeUrl({ clientId, change }));
    const location = answer.headers.get('location');
    expect(location ?? answer.text).toContain(error);
    expect(location ?? '').not.toMatch(/[?&#](?:code|access_token)=/);
  });

  it('names itself in every answer, so that codes are not mixed up (RFC 9207)', async () => {
    const { browser, page, person } = await atPage();
    const called = await flow.consent(browser, page, choiceOf(person));
    expect(called.searchParams.get('iss')).toBe(ISSUER);
    expect(called.searchParams.get('state')).toBe('a-state');
  });

  it('takes a code once, and ends the grant at the second time', async () => {
    const { code, clientId, person } = await codeFor();
    const { access_token: token } = expectStatus(200, await flow.exchange(code, { client_id: clientId })).body;
    expectStatus(200, await callMcp(app, token as string));
    expect(errorOf(await flow.exchange(code, { client_id: clientId }))).toBe('400 invalid_grant');
    expectStatus(401, await callMcp(app, token as string));
    expect(await grantsOf(person)).toEqual([{ end_reason: 'reuse' }]);
  });

  it('takes a code once, also when two processes get it at the same time', async () => {
    const { code, clientId, person } = await codeFor();
    const other = await app.another();
    try {
      const fields = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, client_id: clientId };
      const sent = { ...fields, code_verifier: flow.verifier };
      const answers = await Promise.all([app, other, app, other].map((each) => flow.token(sent, each)));
      expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
      expect(await grantsOf(person)).toEqual([{ end_reason: 'reuse' }]);
    } finally {
      await other.stop();
    }
  });

  it.each<[string, Record<string, string>]>([
    ['another verifier', { code_verifier: 'x'.repeat(50) }],
    ['another redirect', { redirect_uri: 'https://client.example.com/other' }],
    ['another resource', { resource: 'https://other.example/mcp' }],
  ])('refuses a code with %s', async (_, fields) => {
    const { code, clientId } = await codeFor();
    expect((await flow.exchange(code, { client_id: clientId, ...fields })).status).toBe(400);
  });

  it('refuses a code that another client injects', async () => {
    const { code } = await codeFor();
    expect(errorOf(await flow.exchange(code, { client_id: await flow.register() }))).toBe('400 invalid_grant');
  });

  it('refuses a code after a minute', async () => {
    const { code, clientId } = await codeFor();
    await make.sql(
      "UPDATE oauth_records SET expires_at = now() - interval '1 second' WHERE model = 'AuthorizationCode'",
    );
    expect(errorOf(await flow.exchange(code, { client_id: clientId }))).toBe('400 invalid_grant');
  });

  it('ends the grant when a refresh token is replayed', async () => {
    const person = await make.person();
    const { refresh_token: old, clientId } = await flow.connect(person);
    const next = expectStatus(200, await flow.refresh(old, clientId)).body;
    expectStatus(200, await callMcp(app, next.access_token as string));
    expect(errorOf(await flow.refresh(old, clientId))).toBe('400 invalid_grant');
    expect(errorOf(await flow.refresh(next.refresh_token as string, clientId))).toBe('400 invalid_grant');
    expectStatus(401, await callMcp(app, next.access_token as string));
    expect(await grantsOf(person)).toEqual([{ end_reason: 'reuse' }]);
    expect((await app.fetch('/metrics')).text).toMatch(/oauth_tokens_total\{result="reused"\} [1-9]/);
  });

  it('ends a year after the consent, however often it is refreshed', async () => {
    const { refresh_token: first, clientId } = await flow.connect(await make.person());
    const almostYear = 364 * 86_400;
    await make.sql(
      `UPDATE oauth_records SET payload = payload || jsonb_build_object('iiat', (payload->>'iat')::bigint - $1::bigint)
       WHERE model = 'RefreshToken'`,
      [almostYear],
    );
    expectStatus(200, await flow.refresh(first, clientId));
    const left = await make.sql(
      `SELECT (payload->>'exp')::bigint - (payload->>'iat')::bigint AS seconds FROM oauth_records
       WHERE model = 'RefreshToken' AND consumed_at IS NULL AND payload->>'clientId' = $1`,
      [clientId],
    );
    expect(left).toHaveLength(1);
    expect(Number((left[0] as { seconds: string }).seconds)).toBeLessThanOrEqual(86_400);
  });

  it('takes a refresh token once, also when two processes get it at the same time', async () => {
    const person = await make.person();
    const { refresh_token: token, clientId } = await flow.connect(person);
    const other = await app.another();
    try {
      const fields = { grant_type: 'refresh_token', refresh_token: token, client_id: clientId };
      const answers = await Promise.all([app, other, app, other].map((each) => flow.token(fields, each)));
      expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
      expect(await grantsOf(person)).toEqual([{ end_reason: 'reuse' }]);
    } finally {
      await other.stop();
    }
  });

  it('refuses the refresh token of another client', async () => {
    const { refresh_token: token } = await flow.connect(await make.person());
    expect(errorOf(await flow.refresh(token, await flow.register()))).toBe('400 invalid_grant');
  });

  it('never widens scopes: not in a request, not in a code, not in a refresh', async () => {
    const person = await make.person();
    const { refresh_token: token, clientId } = await flow.connect(person, { scopes: SCOPES });
    expect(errorOf(await flow.refresh(token, clientId, { scope: 'projects:read projects:write' }))).toMatch(/^400/);
    const browser = new OAuthBrowser(app);
    await browser.signIn(person);
    const page = await flow.ask(browser, { clientId, scope: 'projects:read keys:write billing:write *' });
    const { text } = expectStatus(200, await browser.get(page));
    expect(text.match(/name="scope"/g)).toHaveLength(1);
  });

  it('shows names that look alike or turn the text around as what they are', async () => {
    const name = 'Cl\u0430ude \u202Eevil\u200B<b>';
    const clientId = await flow.register({ client_name: name, redirect_uris: ['https://xn--clude-7cd.example/cb'] });
    const browser = new OAuthBrowser(app);
    await browser.signIn(await make.person());
    const page = await flow.ask(browser, { clientId, redirectUri: 'https://xn--clude-7cd.example/cb' });
    const { text } = expectStatus(200, await browser.get(page));
    expect(text).toContain('xn--clude-7cd.example');
    expect(text).toContain('unknown: it described itself');
    expect(text).not.toMatch(/[\u202E\u200B]/);
    expect(text).not.toContain('<b>');
  });

  it('answers with its own address, whatever a caller says that it is', async () => {
    const clientId = await flow.register();
    const browser = new OAuthBrowser(app);
    const answer = await browser.get(flow.authorizeUrl({ clientId }), { 'x-forwarded-host': 'evil.example' });
    expect(expectStatus(303, answer).headers.get('location')).toMatch(/^\/oauth\/consent\//);
    expect((await app.fetch('/.well-known/oauth-authorization-server')).text).not.toContain('evil');
  });

  it('keeps no code, no token and no id of a request as it was sent', async () => {
    const { refresh_token: token } = await flow.connect(await make.person());
    const rows = await make.sql('SELECT payload::text AS text, encode(id_hash, $1) AS id FROM oauth_records', [
      'escape',
    ]);
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  it('lets one address ask 300 times, and no more', async () => {
    const browser = new OAuthBrowser(app);
    const url = flow.authorizeUrl({ clientId: 'reg_unknown' });
    const statuses: number[] = [];
    for (let n = 0; n < 31; n++) {
      const answers = await Promise.all(Array.from({ length: 10 }, () => browser.get(url)));
      statuses.push(...answers.map(({ status }) => status));
    }
    expect(statuses.slice(0, 300)).not.toContain(429);
    expect(statuses.slice(300)).toContain(429);
  });
});

describe('attacks where the service has TLS', () => {
  const app = useApp({ PUBLIC_URL: 'https://api.test', ANONYMOUS_CALLS_PER_SECOND: '1000' });

  it('sets cookies that no other host can set and no other site sends', async () => {
    const flow = new OAuthFlow(app);
    const clientId = await flow.register();
    const url = flow.authorizeUrl({ clientId, change: { resource: 'https://api.test/mcp' } });
    const browser = new OAuthBrowser(app);
    const asked = expectStatus(303, await browser.get(url));
    for (const cookie of asked.headers.getSetCookie()) {
      expect(cookie).toMatch(/^__Secure-oauth_/);
      expect(cookie).toMatch(/; secure/i);
      expect(cookie).toMatch(/; httponly/i);
    }
    const page = await browser.get(asked.headers.get('location')!);
    expect(page.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-oauth_form_[\w-]{43}=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=900; Secure$/,
      ),
    ]);
  });
});
