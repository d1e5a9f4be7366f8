import { auth, type OAuthClientProvider } from '@modelcontextprotocol/client';
import { as, expectStatus, Make } from '../support/make.js';
import { mailTo } from '../support/mailbox.js';
import { HttpPeer } from '../support/http-peer.js';
import {
  answerTo,
  CALLBACK,
  callMcp,
  formTokenIn,
  ISSUER,
  OAuthBrowser,
  OAuthFlow,
  RESOURCE,
} from '../support/oauth.js';
import { TestApp, useApp } from '../support/test-app.js';

const READING = ['projects:read'];

describe('connecting an OAuth client', () => {
  const app = useApp({ ANONYMOUS_CALLS_PER_SECOND: '1000' });
  const make = new Make(app);
  const flow = new OAuthFlow(app);

  it('leads from the 401 of /mcp to tokens for the ticked scopes alone', async () => {
    const refused = expectStatus(401, await app.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }));
    const challenge = refused.headers.get('www-authenticate')!;
    const metadata = /resource_metadata="([^"]+)"/.exec(challenge)![1]!;
    expect(challenge).toMatch(/scope="[^"]*projects:read/);
    expect(challenge).not.toContain('projects:write');

    const resource = expectStatus(200, await app.fetch(new URL(metadata).pathname)).body;
    expect(resource).toMatchObject({ resource: RESOURCE, authorization_servers: [ISSUER] });
    const server = expectStatus(200, await app.fetch('/.well-known/oauth-authorization-server')).body;
    expect(server).toMatchObject({
      issuer: ISSUER,
      code_challenge_methods_supported: ['S256'],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    });

    const person = await make.person();
    const { access_token: token, scope } = await flow.connect(person, { scopes: READING });
    expect(scope).toBe('projects:read');
    const tools = expectStatus(200, await callMcp(app, token)).text;
    expect(tools).toContain('list_projects');
    expect(tools).not.toContain('create_project');
  });

  it('has only reading ticked, and shows who asks and where it leads', async () => {
    const person = await make.person();
    const browser = new OAuthBrowser(app);
    await browser.signIn(person);
    const clientId = await flow.register({ client_name: 'My <tool>', redirect_uris: ['http://127.0.0.1:4000/cb'] });
    const page = await flow.ask(browser, { clientId, redirectUri: 'http://127.0.0.1:55123/cb' });
    const { text } = expectStatus(200, await browser.get(page));
    expect(text).toMatch(/value="projects:read" checked/);
    expect(text).toMatch(/value="projects:write">/);
    expect(text).toContain('My &lt;tool&gt;');
    expect(text).toContain('127.0.0.1');
    expect(text).toContain('nothing proves which program');
    expect(text).not.toContain('<script');
  });

  it('asks for the password on the way, and again after 15 minutes', async () => {
    const person = await make.person();
    const browser = new OAuthBrowser(app);
    const clientId = await flow.register();
    const page = await flow.ask(browser, { clientId });
    const asked = expectStatus(200, await browser.get(page));
    expect(asked.text).toContain('name="password"');
    const wrong = new URLSearchParams({ token: formTokenIn(asked.text), login: person.user.username, password: 'no' });
    const again = expectStatus(401, await browser.post(`${page}/sign-in`, wrong));
    const right = new URLSearchParams({
      token: formTokenIn(again.text),
      login: person.user.username,
      password: person.password,
    });
    expectStatus(303, await browser.post(`${page}/sign-in`, right));
    expect(expectStatus(200, await browser.get(page)).text).toContain('name="decision"');

    await make.sql(
      "UPDATE sessions SET authenticated_at = authenticated_at - interval '16 minutes' WHERE user_id = $1",
      [person.user.id],
    );
    expect(expectStatus(200, await browser.get(page)).text).toContain('name="password"');
  });

  it('leads back with access_denied when the person denies', async () => {
    const person = await make.person();
    const browser = new OAuthBrowser(app);
    await browser.signIn(person);
    const page = await flow.ask(browser, { clientId: await flow.register() });
    const shown = expectStatus(200, await browser.get(page));
    const denial = answerTo(shown, { orgs: [], scopes: [] }, 'deny');
    const { headers } = expectStatus(303, await browser.post(page, denial));
    const back = new URL(expectStatus(303, await browser.get(headers.get('location')!)).headers.get('location')!);
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      error: 'access_denied',
      state: 'a-state',
      iss: ISSUER,
    });
    expect(await make.sql('SELECT 1 FROM oauth_grants WHERE user_id = $1', [person.user.id])).toEqual([]);
  });

  it('refuses a choice without an organization or a scope, and keeps the request open', async () => {
    const person = await make.person();
    const browser = new OAuthBrowser(app);
    await browser.signIn(person);
    const page = await flow.ask(browser, { clientId: await flow.register() });
    const shown = expectStatus(200, await browser.get(page));
    for (const choice of [
      { orgs: [], scopes: READING },
      { orgs: [person.organization.id], scopes: [] },
      { orgs: ['org_01jd3m8yeqf5rb0xkq5ym8s6tn'], scopes: READING },
      { orgs: [person.organization.id], scopes: ['databases:read'] },
    ])
      expectStatus(400, await browser.post(page, answerTo(shown, choice)));
    await flow.consent(browser, page, { orgs: [person.organization.id], scopes: READING });
  });

  it('offers no organization in which the person cannot create keys', async () => {
    const [owner, viewer] = [await make.person(), await make.person()];
    const org = await make.org(owner);
    await make.member(org, viewer, 'viewer');
    const browser = new OAuthBrowser(app);
    await browser.signIn(viewer);
    const page = await flow.ask(browser, { clientId: await flow.register() });
    const shown = expectStatus(200, await browser.get(page));
    expect(shown.text).not.toContain(org.id);
    expectStatus(400, await browser.post(page, answerTo(shown, { orgs: [org.id], scopes: READING })));
  });

  it('makes a key without a secret, an audit entry and a notice', async () => {
    const person = await make.person();
    await flow.connect(person);
    const [key] = expectStatus(200, await app.fetch('/api/v1/keys', as(person))).body.data;
    expect(key).toMatchObject({ source: 'oauth', kind: 'select_orgs', name: 'Tool of a test', last4: '', prefix: '' });
    expect(await make.sql('SELECT 1 FROM api_key_secrets WHERE key_id = $1', [key.id])).toEqual([]);
    expectStatus(404, await app.post(`/api/v1/keys/${key.id}/rotate`, {}, as(person)));
    const audit = await make.sql('SELECT action FROM audit_log WHERE org_id = $1', [person.organization.id]);
    expect(audit.map(({ action }) => action as string)).toContain('grant.made');
    const mail = await mailTo(app, person.user.email, 'An application');
    expect(mail.text).toContain('Tool of a test');
    expect(mail.text).toContain(key.id);
  });
});

describe('the official client', () => {
  // The client sends credentials by TLS alone.
  const PUBLIC_URL = 'https://api.test';
  const peer = new HttpPeer();
  let app: TestApp;

  beforeAll(async () => {
    await peer.listen();
    app = new TestApp({ PUBLIC_URL, OAUTH_TRUSTED_CLIENT_HOSTS: peer.host, ANONYMOUS_CALLS_PER_SECOND: '1000' }, 'all');
    await app.start();
  });
  afterAll(async () => {
    await app.stop();
    peer.close();
  });

  it.each(['registration', 'metadata'])('connects, calls and refreshes with %s', async (way) => {
    const person = await new Make(app).person();
    const browser = new OAuthBrowser(app);
    await browser.signIn(person);
    const id = peer.at('/client.json');
    const metadata = { client_name: 'Official', redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' };
    peer.handlers.set('/client.json', (response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ client_id: id, ...metadata }));
    });
    const kept: { information?: any; tokens?: any; verifier?: string; url?: URL } =
      way === 'metadata' ? { information: { client_id: id } } : {};
    const provider: OAuthClientProvider = {
      redirectUrl: CALLBACK,
      clientMetadata: metadata,
      clientInformation: () => kept.information,
      saveClientInformation: (information) => void (kept.information = information),
      tokens: () => kept.tokens,
      saveTokens: (tokens) => void (kept.tokens = tokens),
      redirectToAuthorization: (url) => void (kept.url = url),
      saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
      codeVerifier: () => kept.verifier!,
    };
    const fetchFn = (url: string | URL, init?: RequestInit): Promise<Response> =>
      fetch(String(url).replace(PUBLIC_URL, app.url), init);

    expect(await auth(provider, { serverUrl: `${PUBLIC_URL}/mcp`, fetchFn, scope: 'projects:read' })).toBe('REDIRECT');
    const page = expectStatus(303, await browser.get(kept.url!.href)).headers.get('location')!;
    const called = await new OAuthFlow(app).consent(browser, page, {
      orgs: [person.organization.id],
      scopes: READING,
    });
    const code = called.searchParams.get('code')!;
    const iss = called.searchParams.get('iss')!;
    expect(await auth(provider, { serverUrl: `${PUBLIC_URL}/mcp`, fetchFn, authorizationCode: code, iss })).toBe(
      'AUTHORIZED',
    );
    const first = kept.tokens.access_token as string;
    expectStatus(200, await callMcp(app, first));
    expect(await auth(provider, { serverUrl: `${PUBLIC_URL}/mcp`, fetchFn })).toBe('AUTHORIZED');
    expect(kept.tokens.access_token).not.toBe(first);
    expectStatus(200, await callMcp(app, kept.tokens.access_token as string));
  });
});
