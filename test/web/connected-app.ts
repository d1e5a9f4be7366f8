import { HttpPeer } from '../support/http-peer.js';
import { expectStatus } from '../support/make.js';
import { OAuthFlow } from '../support/oauth.js';
import { type Answer, eventually, type TestApp } from '../support/test-app.js';
import { serviceUrl, type Visit } from './support.js';

/** The service of the tests of the web app, for who is no browser. */
const service = {
  call: async (
    method: string,
    path: string,
    { headers, body }: { headers?: Record<string, string>; body?: string } = {},
  ): Promise<Answer> => {
    const response = await fetch(serviceUrl() + path, {
      method,
      redirect: 'manual',
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    const answer = { status: response.status, headers: response.headers, text };
    return { ...answer, body: isJson ? JSON.parse(text) : undefined };
  },
  post: (path: string, body: object, { headers = {} }: { headers?: Record<string, string> } = {}): Promise<Answer> =>
    service.call('POST', path, {
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }),
};

/** An app that a person has just connected in the browser, as an assistant does it. */
export interface ConnectedApp {
  /** Lists projects, and returns the status and the text of the answer. The query narrows the call. */
  readonly listProjects: (query?: string) => Promise<string>;
}

/** Connects an app of this name by its pages. Organizations beside the own one are ticked by their slugs. */
export async function connectApp(visit: Visit, name: string, orgs: readonly string[] = []): Promise<ConnectedApp> {
  const client = new HttpPeer();
  await client.listen();
  const page = await visit.context.newPage();
  try {
    const flow = new OAuthFlow(service as unknown as TestApp);
    const redirectUri = client.at('/callback');
    const clientId = await flow.register({ client_name: name, redirect_uris: [redirectUri] });
    const change = { resource: `${serviceUrl()}/mcp` };
    await page.goto(serviceUrl() + flow.authorizeUrl({ clientId, redirectUri, change }));
    await page.getByRole('heading', { name: `Connect ${name}?` }).waitFor();
    for (const slug of orgs) await page.getByLabel(`(${slug})`).check();
    await page.getByRole('button', { name: 'Allow' }).click();
    const called = (): string | undefined => client.seen.find(({ path }) => path.startsWith('/callback?'))?.path;
    await eventually(() => called() !== undefined, 'the app is called back');
    const code = new URL(client.at(called()!)).searchParams.get('code')!;
    const answer = await flow.exchange(code, { client_id: clientId, redirect_uri: redirectUri });
    const { access_token: token } = expectStatus(200, answer).body as { access_token: string };
    const listProjects = async (query = ''): Promise<string> => {
      const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_projects', arguments: {} } };
      const headers = { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' };
      const { status, text } = await service.post(`/mcp${query}`, call, { headers });
      return `${status} ${text}`;
    };
    return { listProjects };
  } finally {
    await page.close();
    client.close();
  }
}
