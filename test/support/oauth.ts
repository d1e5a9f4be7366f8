import { createHash, randomBytes } from 'node:crypto';
import { as, expectStatus, type Person } from './make.js';
import { type Answer, randomAddress, type TestApp } from './test-app.js';

export const ISSUER = 'http://api.test';
export const RESOURCE = `${ISSUER}/mcp`;
export const CALLBACK = 'https://client.example.com/callback';

const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };

/** A browser: it keeps cookies by path, and comes from one address. */
export class OAuthBrowser {
  private cookies: { readonly name: string; readonly value: string; readonly path: string }[] = [];
  private readonly from = randomAddress();

  constructor(private readonly app: TestApp) {}

  get(url: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('GET', url, headers);
  }

  /** Sends a form as a page of the service does, unless `headers` say otherwise. */
  post(url: string, fields: URLSearchParams, headers: Record<string, string> = SAME_ORIGIN): Promise<Answer> {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    return this.send('POST', url, { ...type, ...headers }, fields.toString());
  }

  /** Signs in to the dashboard. */
  async signIn({ user, password }: Person): Promise<void> {
    const headers = { ...SAME_ORIGIN, 'x-service-session': 'cookie', 'content-type': 'application/json' };
    const body = JSON.stringify({ login: user.username, password });
    expectStatus(200, await this.send('POST', '/api/v1/auth/sign-in', headers, body));
  }

  setCookie(name: string, value: string, path = '/'): void {
    this.cookies = this.cookies.filter((cookie) => cookie.name !== name || cookie.path !== path);
    this.cookies.push({ name, value, path });
  }

  private async send(method: string, url: string, headers: Record<string, string>, body?: string): Promise<Answer> {
    const { pathname, search } = new URL(url, ISSUER);
    const cookie = this.cookies
      .filter(({ path }) => path === '/' || pathname === path || pathname.startsWith(`${path}/`))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
    const answer = await this.app.call(method, pathname + search, {
      from: this.from,
      headers: { ...(cookie === '' ? {} : { cookie }), ...headers },
      ...(body === undefined ? {} : { body }),
    });
    for (const line of answer.headers.getSetCookie()) this.keep(line);
    return answer;
  }

  private keep(line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const name = pair.slice(0, pair.indexOf('='));
    const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice(5) ?? '/';
    this.setCookie(name, pair.slice(pair.indexOf('=') + 1), path);
  }
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
}

interface Asked {
  readonly clientId: string;
  readonly redirectUri?: string;
  readonly scope?: string;
  readonly verifier?: string;
  /** Parameters that replace or, with undefined, remove the usual ones. */
  readonly change?: Readonly<Record<string, string | undefined>>;
}

/** A client that registers, asks people and calls. */
export class OAuthFlow {
  readonly verifier = randomBytes(32).toString('base64url');

  constructor(readonly app: TestApp) {}

  async register(metadata: object = {}): Promise<string> {
    const body = { client_name: 'Tool of a test', redirect_uris: [CALLBACK], ...metadata };
    return expectStatus(201, await this.app.post('/oauth/register', body)).body.client_id as string;
  }

  authorizeUrl({
    clientId,
    redirectUri = CALLBACK,
    scope = 'projects:read projects:write',
    change = {},
  }: Asked): string {
    const usual: Record<string, string | undefined> = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      scope,
      state: 'a-state',
      code_challenge: createHash('sha256').update(this.verifier).digest('base64url'),
      code_challenge_method: 'S256',
      resource: RESOURCE,
      ...change,
    };
    const parameters = Object.entries(usual).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return `/oauth/authorize?${new URLSearchParams(parameters).toString()}`;
  }

  /** Leads a browser to the page that asks the person, and returns its address. */
  async ask(browser: OAuthBrowser, asked: Asked): Promise<string> {
    return expectStatus(303, await browser.get(this.authorizeUrl(asked))).headers.get('location')!;
  }

  /** Answers the page as a person who ticks these, and returns where the client is called back. */
  async consent(
    browser: OAuthBrowser,
    page: string,
    choice: { readonly orgs: readonly string[]; readonly scopes: readonly string[] },
  ): Promise<URL> {
    const shown = expectStatus(200, await browser.get(page));
    const answered = expectStatus(303, await browser.post(page, answerTo(shown, choice)));
    return new URL(expectStatus(303, await browser.get(answered.headers.get('location')!)).headers.get('location')!);
  }

  exchange(code: string, fields: Readonly<Record<string, string>>): Promise<Answer> {
    return this.token({
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      code_verifier: this.verifier,
      ...fields,
    });
  }

  refresh(refreshToken: string, clientId: string, fields: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.token({ grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId, ...fields });
  }

  token(fields: Readonly<Record<string, string>>, app = this.app): Promise<Answer> {
    return app.call('POST', '/oauth/token', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    });
  }

  /** The whole way of a person who is signed in: from the registration to the tokens. */
  async connect(
    person: Person,
    {
      scopes = ['projects:read'],
      orgs = [person.organization.id],
      scope,
    }: { scopes?: string[]; orgs?: string[]; scope?: string } = {},
  ): Promise<Tokens & { readonly clientId: string }> {
    const clientId = await this.register();
    const browser = new OAuthBrowser(this.app);
    await browser.signIn(person);
    const page = await this.ask(browser, { clientId, ...(scope === undefined ? {} : { scope }) });
    const called = await this.consent(browser, page, { orgs, scopes });
    const answer = await this.exchange(called.searchParams.get('code')!, { client_id: clientId });
    return { ...(expectStatus(200, answer).body as Tokens), clientId };
  }
}

/** The fields of the form on a page. */
export function answerTo(
  { text }: Answer,
  { orgs, scopes }: { readonly orgs: readonly string[]; readonly scopes: readonly string[] },
  decision = 'allow',
): URLSearchParams {
  const fields = new URLSearchParams({ token: formTokenIn(text), decision });
  for (const org of orgs) fields.append('org', org);
  for (const scope of scopes) fields.append('scope', scope);
  return fields;
}

export const formTokenIn = (html: string): string => /name="token" value="([^"]+)"/.exec(html)![1]!;

/** Calls a method of the MCP server. */
export const callMcp = (app: TestApp, token: string, method = 'tools/list', params: object = {}): Promise<Answer> =>
  app.post(
    '/mcp',
    { jsonrpc: '2.0', id: 1, method, params },
    as(token, { headers: { accept: 'application/json, text/event-stream' } }),
  );
