import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { COMMAND, type Ended, useCommandLine } from '../support/command-line.js';
import { HttpPeer } from '../support/http-peer.js';
import { serveMcp, type ServedTool } from '../support/mcp-server.js';

jest.setTimeout(60_000);

const KEY = 'svc_pat_the-key-of-this-test';
const peer = new HttpPeer();
const command = useCommandLine(() => peer.at(''));
const echo: ServedTool = {
  description: 'Returns the text.',
  schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  act: ({ text }: { text: string }) => ({ text: `You said ${text}.` }),
};

beforeAll(() => peer.listen());
beforeEach(() => {
  peer.seen.length = 0;
  peer.handlers.clear();
  serveMcp(peer, new Map([['echo', echo]]));
});
afterAll(() => {
  peer.close();
});

const lineOf = (method: string, id?: number, params: object = {}): string =>
  `${JSON.stringify({ jsonrpc: '2.0', ...(id === undefined ? {} : { id }), method, params })}\n`;

const run = (input: string, args: readonly string[] = [], env: Record<string, string> = { SERVICE_API_KEY: KEY }) =>
  command.run([...args, 'mcp'], { input, env });

const answersOf = ({ stdout }: Ended): unknown[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);

describe('service mcp', () => {
  it.each([
    ['2026-07-28', 'auto'],
    ['2025-11-25', 'legacy'],
  ] as const)('lets a client of version %s list and call tools with the key of the login', async (version, mode) => {
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [COMMAND, 'mcp'],
        env: { ...command.environment, SERVICE_API_KEY: KEY },
      }),
    );
    try {
      expect((await client.listTools()).tools).toMatchObject([{ name: 'echo' }]);
      const { content } = await client.callTool({ name: 'echo', arguments: { text: 'grüß dich' } });
      expect(content).toEqual([{ type: 'text', text: 'You said grüß dich.' }]);
    } finally {
      await client.close();
    }
    expect(peer.seen.length).toBeGreaterThan(2);
    for (const { path, headers } of peer.seen)
      expect({ path, key: headers.authorization }).toEqual({ path: '/mcp', key: `Bearer ${KEY}` });
    expect(peer.seen.at(-1)!.headers).toMatchObject({ 'mcp-protocol-version': version });
  });

  it('passes on what narrows the tools', async () => {
    peer.handlers.set('/mcp?read_only=1&org=acme&project=shop&features=deploys%2Cdatabases&writes=main', (response) =>
      response.setHeader('content-type', 'application/json').end('{"jsonrpc":"2.0","id":1,"result":{}}'),
    );
    const options = ['--read-only', '--project', 'shop', '--features', 'deploys,databases', '--writes', 'main'];
    const ended = await command.run(['--org', 'acme', 'mcp', ...options], {
      input: lineOf('ping', 1),
      env: { SERVICE_API_KEY: KEY },
    });
    expect(answersOf(ended)).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
  });

  it('sends no key to the tools that need none', async () => {
    peer.handlers.set('/mcp/anonymous', (response) =>
      response.setHeader('content-type', 'application/json').end('{"jsonrpc":"2.0","id":1,"result":{}}'),
    );
    const ended = await command.run(['mcp', '--anonymous'], {
      input: lineOf('ping', 1),
      env: { SERVICE_API_KEY: KEY },
    });
    expect(answersOf(ended)).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
    expect(peer.seen.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });

  it('exits with 3 without a key, and sends nothing', async () => {
    expect(await run(lineOf('ping', 1), [], {})).toMatchObject({ code: 3, stdout: '' });
    expect(peer.seen).toEqual([]);
  });

  it('answers with the error of the API and its hint, when the service refuses the call', async () => {
    peer.handlers.set('/mcp', (response) =>
      response
        .writeHead(401, { 'content-type': 'application/json' })
        .end('{"error":{"message":"The key is revoked.","hint":"Mint another one."},"meta":{}}'),
    );
    expect(answersOf(await run(lineOf('tools/list', 7)))).toEqual([
      { jsonrpc: '2.0', id: 7, error: { code: -32603, message: 'The key is revoked.\nHint: Mint another one.' } },
    ]);
  });

  it('says which line is no message, and carries those after it', async () => {
    const ended = await run(`no message\n${lineOf('ping', 1)}`);
    expect(ended.code).toBe(0);
    expect(answersOf(ended)).toEqual(
      expect.arrayContaining([
        { jsonrpc: '2.0', id: null, error: { code: -32700, message: expect.any(String) } },
        expect.objectContaining({ id: 1 }),
      ]),
    );
  });

  it('passes on what arrives before the answer, and notices when the answer never does', async () => {
    const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress: 1 } };
    peer.handlers.set('/mcp', (response) =>
      response
        .setHeader('content-type', 'text/event-stream')
        .end(`: a comment\r\nid: 1\r\ndata: ${JSON.stringify(progress)}\r\n\r\ndata: {"jsonrpc":\n`),
    );
    expect(answersOf(await run(lineOf('tools/call', 1)))).toEqual([
      progress,
      { jsonrpc: '2.0', id: 1, error: { code: -32603, message: expect.stringContaining('before it answered') } },
    ]);
  });

  it('ends a request that the client cancels', async () => {
    peer.handlers.set('/mcp', () => undefined);
    const cancelled = lineOf('notifications/cancelled', undefined, { requestId: 1 });
    expect(await run(lineOf('tools/call', 1) + cancelled)).toMatchObject({ code: 0, stdout: '' });
  });

  it('follows no redirect with the key', async () => {
    peer.handlers.set('/mcp', (response) => response.writeHead(307, { location: peer.at('/elsewhere') }).end());
    expect(answersOf(await run(lineOf('ping', 1)))).toMatchObject([{ id: 1, error: { code: -32603 } }]);
    expect(peer.seen.map(({ path }) => path)).toEqual(['/mcp']);
  });
});
