import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createToken } from '../../src/modules/auth/token-format.js';
import { DeployEnvironment } from '../../src/modules/hosting/deploy-environment.js';
import { built, deploy, type Deployed, visit } from '../support/hosting.js';
import { useApp } from '../support/test-app.js';

const KEY = createToken('org', randomBytes(24));
const OTHER_KEY = createToken('org', randomBytes(24));
const DOOR = 'http://127.0.0.1:9797';

/** Calls what its visitor names, with the headers that it names, and answers with what came of it. */
const SERVER = `
require('node:http').createServer(async (request, response) => {
  const url = new URL(request.url, 'http://app');
  if (url.pathname !== '/call') return response.end('up');
  try {
    const { to, headers, body, hangUp } = JSON.parse(url.searchParams.get('call'));
    const abort = new AbortController();
    const answer = await fetch(to, { headers, ...(body && { method: 'POST', body }), signal: abort.signal });
    if (hangUp) {
      const { value } = await answer.body.getReader().read();
      abort.abort();
      return response.end(JSON.stringify({ first: Buffer.from(value).toString() }));
    }
    const type = answer.headers.get('content-type');
    response.end(JSON.stringify({ status: answer.status, text: await answer.text(), type }));
  } catch (error) {
    response.end(JSON.stringify({ error: error.cause?.code ?? error.message }));
  }
}).listen(process.env.PORT, process.env.HOSTNAME);
`;

interface Called {
  readonly status?: number;
  readonly text?: string;
  readonly type?: string;
  readonly first?: string;
  readonly error?: string;
}

describe('the door of an app to the models of the service', () => {
  const settings: NodeJS.ProcessEnv = {};
  const calls: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[] = [];
  let respond: (call: IncomingMessage, answer: ServerResponse) => void;
  let api: Server;

  beforeAll(async () => {
    api = createServer((call, answer) => {
      const { method = '', url = '', headers } = call;
      let body = '';
      call.setEncoding('utf8').on('data', (text: string) => (body += text));
      call.once('end', () => {
        calls.push({ method, url, headers, body });
        respond(call, answer);
      });
    });
    api.listen(0, '127.0.0.1');
    await once(api, 'listening');
    settings['APPS_API_URL'] = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  });

  const app = useApp(settings);
  let withKey: Deployed;
  let withoutKey: Deployed;

  beforeAll(async () => {
    const output = built(
      { 'server.js': SERVER },
      { kind: 'server', framework: 'node', server: { command: ['node', 'server.js'], directory: '' }, static: [] },
    );
    const environment = jest.spyOn(app.get(DeployEnvironment), 'of');
    jest.spyOn(app.get(DeployEnvironment), 'servicesOf').mockResolvedValue([]);
    environment.mockResolvedValue({ OPENAI_API_KEY: KEY });
    withKey = await deploy(app, output);
    await visit(app, withKey.label, '/');
    environment.mockResolvedValue({ OPENAI_API_KEY: 'sk-of-another-service' });
    withoutKey = await deploy(app, output);
    await visit(app, withoutKey.label, '/');
  });

  afterAll(() => {
    api.closeAllConnections();
    api.close();
  });

  beforeEach(() => {
    calls.length = 0;
    respond = (_call, answer) => answer.setHeader('content-type', 'text/event-stream').end('data: hello\n\n');
  });

  const call = async ({ label }: Deployed, what: object): Promise<Called> => {
    const { text } = await visit(app, label, `/call?${new URLSearchParams({ call: JSON.stringify(what) }).toString()}`);
    return JSON.parse(text) as Called;
  };
  const authorization = (key: string): object => ({ authorization: `Bearer ${key}` });

  it('leads to the API with the key of the deploy', async () => {
    const to = `${DOOR}/api/v1/ai/chat/completions?a=b`;
    const headers = {
      ...authorization(KEY),
      'content-type': 'application/json',
      cookie: 'a=b',
      'x-forwarded-for': '1.2.3.4',
    };
    expect(await call(withKey, { to, headers, body: '{"model":"m"}' })).toEqual({
      status: 200,
      text: 'data: hello\n\n',
      type: 'text/event-stream',
    });
    expect(calls).toMatchObject([
      {
        method: 'POST',
        url: '/api/v1/ai/chat/completions?a=b',
        body: '{"model":"m"}',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      },
    ]);
    expect(calls[0]!.headers).not.toHaveProperty('cookie');
    expect(calls[0]!.headers).not.toHaveProperty('x-forwarded-for');
  });

  it('leads nowhere else, and not with another key', async () => {
    const paths = [
      '/api/v1/projects',
      '/ops/tasks',
      '/api/v1/ai/../projects',
      '/api/v1/ai/%2e%2e/projects',
      '//api/v1/ai/models',
    ];
    for (const path of paths) {
      const { status, text } = await call(withKey, { to: DOOR + path, headers: authorization(KEY) });
      expect([path, status, (JSON.parse(text!) as { error: { code: string } }).error.code]).toEqual([
        path,
        404,
        'route_not_found',
      ]);
    }
    for (const headers of [{}, authorization(OTHER_KEY), authorization(''), { authorization: `Basic ${KEY}` }]) {
      const { status, text } = await call(withKey, { to: `${DOOR}/api/v1/ai/models`, headers });
      expect(status).toBe(401);
      expect(JSON.parse(text!)).toMatchObject({ error: { type: 'auth_error', code: 'invalid_api_key' } });
    }
    expect(calls).toEqual([]);
  });

  it('is not there for an app whose variables have no key of the service', async () => {
    expect(await call(withoutKey, { to: `${DOOR}/api/v1/ai/models`, headers: authorization(KEY) })).toEqual({
      error: 'ECONNREFUSED',
    });
  });

  it('ends the call at the API when the app hangs up', async () => {
    const ended = new Promise((resolve) => {
      respond = (_call, answer) => {
        answer.write('data: first\n\n');
        answer.once('close', resolve);
      };
    });
    const to = `${DOOR}/api/v1/ai/chat/completions`;
    expect(await call(withKey, { to, headers: authorization(KEY), body: '{}', hangUp: true })).toEqual({
      first: 'data: first\n\n',
    });
    await ended;
  });

  it('answers 503 when the API is gone, and does not repeat a key that the API has refused', async () => {
    const to = `${DOOR}/api/v1/ai/models`;
    respond = (_call, answer) => {
      answer.destroy();
    };
    expect(await call(withKey, { to, headers: authorization(KEY) })).toMatchObject({ status: 503 });
    respond = (_call, answer) => answer.writeHead(401).end('{}');
    for (let turn = 0; turn < 3; turn++)
      expect(await call(withKey, { to, headers: authorization(KEY) })).toMatchObject({ status: 401 });
    expect(calls).toHaveLength(2);
  });
});
