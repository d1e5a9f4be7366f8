import { ConcurrencyLimitService } from '../../src/modules/limits/concurrency-limit.service.js';
import { cutText, MAX_TEXT_BYTES, succeeded } from '../../src/modules/mcp/http/tool-answers.js';
import type { Tool } from '../../src/modules/mcp/tools/tool.js';
import { as, expectStatus, Make, type Person } from '../support/make.js';
import { callTool, connectMcp, errorIn, sendMcp } from '../support/mcp-clients.js';
import { useApp, eventually } from '../support/test-app.js';

const app = useApp({}, 'api');
const make = new Make(app);
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

let ada: Person;
let key: string;

beforeAll(async () => {
  ada = await make.person({ plan: 'enterprise' });
  key = await make.key(ada);
});

const errorOf = ({ status, body }: { status: number; body?: any }): [number, string] => [status, body?.error?.code];

describe('POST /mcp', () => {
  it('returns 401 without a key, with one that does not exist, and with a session', async () => {
    expect(errorOf(await sendMcp(app, undefined, LIST))).toEqual([401, 'missing_api_key']);
    expect(errorOf(await sendMcp(app, 'svc_pat_nothing', LIST))).toEqual([401, 'malformed_api_key']);
    expect(errorOf(await sendMcp(app, ada.sessionToken, LIST))).toEqual([401, 'session_token_not_allowed']);
    expect(errorOf(await sendMcp(app, 'eyJhbGciOiJub25lIn0.e30.', LIST))[0]).toBe(401);
    const cookie = { cookie: `svc_web=${ada.sessionToken}`, 'x-service-session': 'cookie' };
    expect((await sendMcp(app, undefined, LIST, { headers: cookie })).status).toBeGreaterThanOrEqual(401);
  });

  it('returns 403 to a page of another site, and 421 under a foreign host', async () => {
    expect(errorOf(await sendMcp(app, key, LIST, { headers: { origin: 'https://evil.example' } }))).toEqual([
      403,
      'cross_site_request',
    ]);
    expect((await sendMcp(app, key, LIST, { headers: { origin: 'http://api.test' } })).status).toBe(200);
    const answer = await app.raw(
      `POST /mcp HTTP/1.1\r\nHost: rebound.example\r\nAuthorization: Bearer ${key}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 421 /);
  });

  it.each(['GET', 'DELETE'])('returns 405 for %s, because it keeps no sessions', async (method) => {
    const answer = await app.call(method, '/mcp', as(key));
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('POST');
  });

  it.each([
    ['a batch', JSON.stringify([LIST, LIST]), 400],
    ['what is not JSON', '{', 400],
    ['a number', '7', 400],
    ['null', 'null', 400],
    ['deep JSON', '{"a":'.repeat(100) + '1' + '}'.repeat(100), 400],
    ['an empty object', '{}', 400],
    ['a method that does not exist', JSON.stringify({ ...LIST, method: 'x'.repeat(10_000) }), 200],
    [
      'a huge name of a tool',
      JSON.stringify({ ...LIST, method: 'tools/call', params: { name: 'x'.repeat(500_000) } }),
      200,
    ],
    [
      'a prototype',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"__proto__","arguments":{"__proto__":{}}}}',
      200,
    ],
    ['more than 1 MiB', JSON.stringify({ ...LIST, params: { _meta: { text: 'x'.repeat(1_100_000) } } }), 413],
  ])('answers %s, and goes on', async (_, body, status) => {
    const answer = await sendMcp(app, key, body);
    expect(answer.status).toBe(status);
    expect(answer.text.length).toBeLessThan(20_000);
    expect((await sendMcp(app, key, LIST)).status).toBe(200);
  });

  it('returns 415 for another content type', async () => {
    const answer = await sendMcp(app, key, LIST, { headers: { 'content-type': 'text/plain' } });
    expect(errorOf(answer)).toEqual([415, 'unsupported_media_type']);
  });

  it.each(['..', '.', '../keys', '%2e%2e', 'a/b', '?x=1', '#', '\r\nx: y', '\u0000', 'x'.repeat(5_000)])(
    'reaches no other route by the project id %j',
    async (projectId) => {
      const { isError, content } = await callTool(app, key, 'get_project', { project_id: projectId });
      expect(isError).toBe(true);
      expect(content[0].text).toMatch(/project_not_found|invalid_request|malformed_request/);
    },
  );

  it('refuses a hundred thousand arguments with a short answer, and none that an object inherits', async () => {
    const many = Object.fromEntries(Array.from({ length: 80_000 }, (_, at) => [`a${at}`, 1]));
    const refused = await callTool(app, key, 'list_projects', many);
    expect(errorIn(refused).details).toHaveLength(10);
    const inherited = await callTool(app, key, 'list_projects', { constructor: 1 });
    expect(errorIn(inherited)).toMatchObject({ code: 'invalid_request', details: [{ path: 'constructor' }] });
  });

  it('counts a message as one call, and refuses when the budget is used up', async () => {
    const eve = await make.person();
    const by = await make.key(eve);
    const remaining = (answer: { headers: Headers }): number => Number(answer.headers.get('x-service-calls-remaining'));
    const first = await sendMcp(app, by, LIST);
    const second = await sendMcp(app, by, { ...LIST, method: 'tools/call', params: { name: 'whoami' } });
    expect(remaining(first) - remaining(second)).toBe(1);
    await make.spend(eve.organization.id, 1_000_000);
    expect(errorOf(await sendMcp(app, by, LIST))).toEqual([429, 'daily_limit_exceeded']);
  });

  it('answers 8 messages of a key at once, and refuses the ninth', async () => {
    const eve = await make.person({ plan: 'enterprise' });
    const body = { name: 'crowded' };
    const { secret, id } = expectStatus(201, await app.post('/api/v1/keys', body, as(eve))).body.data;
    const limits = app.get(ConcurrencyLimitService);
    const places = { name: 'mcp', places: 8, lifetimeMs: 60_000 };
    for (let at = 0; at < 8; at++) expect(await limits.take(places, id as string, `held-${at}`)).toBe(true);
    expect(errorOf(await sendMcp(app, secret as string, LIST))).toEqual([429, 'concurrency_limit_exceeded']);
    expect((await sendMcp(app, key, LIST)).status).toBe(200);
    await limits.end(places, id as string, 'held-0');
    expect((await sendMcp(app, secret as string, LIST)).status).toBe(200);
    // Its own place is free again.
    expect((await sendMcp(app, secret as string, LIST)).status).toBe(200);
  });

  it.each([
    ['another name of a tool', { 'mcp-name': 'list_projects' }],
    ['another method', { 'mcp-method': 'tools/list' }],
    ['another version', { 'mcp-protocol-version': '2025-11-25' }],
  ])('refuses a message whose headers say %s than its body', async (_, changed) => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const message = { ...LIST, method: 'tools/call', params: { name: 'whoami', arguments: {}, _meta: meta } };
    const right = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'whoami' };
    expect((await sendMcp(app, key, message, { headers: right })).status).toBe(200);
    const { status, body } = await sendMcp(app, key, message, { headers: { ...right, ...changed } });
    expect([status, body.error.code]).toEqual([400, -32020]);
  });

  it('opens no stream of subscriptions', async () => {
    const client = await connectMcp(app, key);
    await expect(
      client.request({ method: 'subscriptions/listen', params: { notifications: {} } } as never),
    ).rejects.toThrow();
    await client.close();
  });

  it('law 4: a revoked key fails at its next message, in another process too', async () => {
    const other = await app.another();
    try {
      const { secret, id } = expectStatus(201, await app.post('/api/v1/keys', { name: 'k' }, as(ada))).body.data;
      for (const each of [app, other]) expect((await sendMcp(each, secret as string, LIST)).status).toBe(200);
      expectStatus(204, await app.call('DELETE', `/api/v1/keys/${id}`, as(ada)));
      const call = { ...LIST, method: 'tools/call', params: { name: 'whoami' } };
      for (const each of [app, other])
        for (const message of [LIST, call])
          expect(errorOf(await sendMcp(each, secret as string, message))).toEqual([401, 'revoked_api_key']);
    } finally {
      await other.stop();
    }
  });

  it('ends the wait of a tool when the client hangs up, and frees its place', async () => {
    const eve = await make.person({ plan: 'enterprise' });
    const { secret, id } = expectStatus(201, await app.post('/api/v1/keys', { name: 'k' }, as(eve))).body.data;
    const made = await app.post(
      '/api/v1/projects',
      { name: 'shop', repo_url: 'https://github.com/acme/shop' },
      as(secret as string),
    );
    const leaving = new AbortController();
    const call = {
      ...LIST,
      method: 'tools/call',
      params: { name: 'deploy_project', arguments: { project_id: made.body.data.id, wait_seconds: 60 } },
    };
    const gone = sendMcp(app, secret as string, call, { signal: leaving.signal }).catch(() => 'gone');
    const limits = app.get(ConcurrencyLimitService);
    const places = { name: 'mcp', places: 1, lifetimeMs: 60_000 };
    const isFree = async (): Promise<boolean> => {
      const isTaken = await limits.take(places, id as string, 'probe');
      if (isTaken) await limits.end(places, id as string, 'probe');
      return isTaken;
    };
    await eventually(async () => !(await isFree()), 'the place is taken');
    leaving.abort();
    expect(await gone).toBe('gone');
    await eventually(isFree, 'the place is free');
  });
});

describe('long answers', () => {
  const tool = { goesOnWith: 'Ask again.' } as Tool;

  it('are cut at 100 KiB, never within a character, and say how to go on', () => {
    const cut = cutText('é'.repeat(MAX_TEXT_BYTES), 'Ask again.');
    expect(Buffer.byteLength(cut)).toBeLessThan(MAX_TEXT_BYTES + 200);
    expect(cut).not.toContain('\ufffd');
    expect(cut).toContain('Ask again.');
  });

  it('lose the last items of a list, in the text and in the structure', () => {
    const data = Array.from({ length: 1_000 }, (_, at) => ({ at, text: 'x'.repeat(1_000) }));
    const { structuredContent, content } = succeeded({ data, meta: { request_id: 'r' } }, tool, true);
    const kept = structuredContent as { data: unknown[]; meta: Record<string, string> };
    expect(kept.data.length).toBeGreaterThan(50);
    expect(kept.data).toEqual(data.slice(0, kept.data.length));
    expect(kept.meta['cut']).toContain('Ask again.');
    expect(Buffer.byteLength((content[0] as { text: string }).text)).toBeLessThan(MAX_TEXT_BYTES + 1_000);
  });
});
