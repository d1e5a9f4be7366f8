import { createHash } from 'node:crypto';
import { createSocket, type Socket as Datagrams } from 'node:dgram';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { AppServersService } from '../../src/modules/hosting/app-servers.service.js';
import { DeployEnvironment } from '../../src/modules/hosting/deploy-environment.js';
import { ServerDidNotStart } from '../../src/modules/hosting/hosting.errors.js';
import { OrgDirectory } from '../../src/modules/orgs/org-directory.js';
import { answerTo, type DnsRecord, queryIn, TYPES } from '../../src/platform/egress/dns-message.js';
import { Isolation } from '../../src/platform/isolation/isolation.js';
import { IsolationDidNotStart } from '../../src/platform/isolation/isolation-spec.js';
import { built, deploy, type Deployed, type Files, visit } from '../support/hosting.js';
import { testRedisUrl } from '../support/test-redis.js';
import { eventually, useApp } from '../support/test-app.js';
import { hasNetworkDevice } from '../support/network-device.js';

/** Connects to what its caller names, and answers with what came of it. */
const SERVER = `
const http = require('node:http');
const net = require('node:net');
const dns = require('node:dns').promises;
const attempts = {
  fetch: async ({ url }) => (await fetch(url, { signal: AbortSignal.timeout(5000) })).text(),
  tcp: ({ host, port }) => new Promise((resolve, reject) => {
    net.connect({ host, port, timeout: 5000 }).on('data', (data) => resolve(String(data))).on('error', reject)
      .on('timeout', () => reject(Object.assign(new Error(), { code: 'slow' })));
  }),
  webSocket: ({ url }) => new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    socket.onmessage = ({ data }) => { resolve(data); socket.close(); };
    socket.onerror = reject;
  }),
  postgres: async ({ url }) => {
    const client = new (require('pg').Client)({ connectionString: url });
    await client.connect();
    const { rows } = await client.query('SELECT 6 * 7 AS answer');
    await client.end();
    return rows[0].answer;
  },
  redis: async ({ url }) => {
    const client = new (require('ioredis').Redis)(url, { maxRetriesPerRequest: 1 });
    client.on('error', () => undefined);
    try { return await client.echo('hello'); } finally { client.disconnect(); }
  },
  lookup: async ({ name }) => (await dns.lookup(name, { all: true })).map(({ address }) => address),
  resolve: ({ name, type }) => dns.resolve(name, type),
};
http.createServer((request, response) => {
  const url = new URL(request.url, 'http://app');
  const attempt = attempts[url.pathname.slice(1)];
  if (attempt === undefined) return response.end('up');
  Promise.resolve(Object.fromEntries(url.searchParams)).then(attempt).then(
    (value) => response.end(JSON.stringify({ value })),
    (error) => response.end(JSON.stringify({ error: error.cause?.code ?? error.code ?? error.message })),
  );
}).listen(process.env.PORT, process.env.HOSTNAME);
`;

/** The packages of a client and of all that it needs, as an install would leave them. */
function packages(...names: readonly string[]): Files {
  const files: Record<string, string | Buffer> = {};
  const found = new Set<string>();
  const add = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    const root = join(__dirname, '../../node_modules', name);
    for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile() && /\.(?:c?js|json)$/.test(entry.name) && !path.slice(root.length).includes('node_modules'))
        files[join('node_modules', name, path.slice(root.length))] = readFileSync(path);
    }
    const { dependencies = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      dependencies?: Record<string, string>;
    };
    for (const dependency of Object.keys(dependencies)) add(dependency);
  };
  names.forEach(add);
  return files;
}

/** An address of this machine that is not loopback. Without one, nothing can be connected to at all. */
const ownAddress = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)!.address;

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

async function listening(server: Server): Promise<Server> {
  server.listen(0, ownAddress);
  await once(server, 'listening');
  return server;
}

/** Makes a server of this machine, which listens on loopback or on a Unix socket, reachable at its own address. */
const forwardTo = (target: { host: string; port: number } | { path: string }): Promise<Server> =>
  listening(
    createServer((from) => {
      const to = connect(target);
      from.pipe(to).pipe(from);
      from.on('error', () => to.destroy());
      to.on('error', () => from.destroy());
    }),
  );

function targetOf(text: string, port: number): { host: string; port: number } | { path: string } {
  const url = new URL(text);
  if (url.protocol === 'unix:') return { path: url.pathname };
  const host = decodeURIComponent(url.hostname);
  if (host.startsWith('/')) return { path: join(host, `.s.PGSQL.${port}`) };
  return { host, port: Number(url.port === '' ? port : url.port) };
}

/** Answers HTTP with `hello`, and sends the same to every WebSocket. */
function helloServer(): Server {
  const server = createHttpServer((_request, response) => response.end('hello'));
  server.on('upgrade', (request, socket: Socket) => {
    const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash('sha1').update(key).digest('base64');
    socket.on('error', () => undefined);
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
        `Sec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    socket.write(Buffer.concat([Buffer.from([0x81, 5]), Buffer.from('hello')]));
  });
  return server;
}

const address = (text: string): DnsRecord => ({ type: 'A', address: text, ttl: 0 });

/** A name server whose names lead where its owner likes. */
class HostileNames {
  asked = 0;
  private readonly socket: Datagrams = createSocket('udp4');

  async start(): Promise<number> {
    this.socket.on('message', (message, { port }) => {
      const query = queryIn(message);
      if (query === null) return;
      this.asked += 1;
      const records = query.type === TYPES.A ? this.recordsOf(query.name) : [];
      const code = query.name.endsWith('.test') ? 'found' : 'absent';
      const text: DnsRecord[] = query.type === TYPES.TXT ? [{ type: 'TXT', entries: ['x'.repeat(200)], ttl: 0 }] : [];
      this.socket.send(answerTo(query, code, [...records, ...text, ...text]), port);
    });
    this.socket.bind(0, '127.0.0.1');
    await once(this.socket, 'listening');
    return this.socket.address().port;
  }

  stop(): void {
    this.socket.close();
  }

  private recordsOf(name: string): DnsRecord[] {
    const inside = address('10.255.255.254');
    const answers: Record<string, DnsRecord[]> = {
      'public.test': [address('8.8.8.8')],
      'hello.test': [address(ownAddress)],
      'inside.test': [inside],
      'loopback.test': [address('127.0.0.1')],
      'metadata.test': [address('169.254.169.254')],
      'mixed.test': [address('8.8.8.8'), inside],
      'rebinding.test': [this.asked % 2 === 0 ? inside : address('8.8.8.8')],
      'many.test': Array.from({ length: 40 }, (_, index) => address(`8.8.8.${index}`)),
    };
    return answers[name] ?? [];
  }
}

(hasNetworkDevice ? describe : describe.skip)('an app with a network', () => {
  const settings: NodeJS.ProcessEnv = {};
  const names = new HostileNames();
  const hosts: Server[] = [];
  let hello: Server;
  let other: Server;
  let postgres: Server;
  let redis: Server;

  beforeAll(async () => {
    hello = await listening(helloServer());
    other = await listening(helloServer());
    postgres = await forwardTo(targetOf(process.env['TEST_POSTGRES_URL']!, 5432));
    redis = await forwardTo(targetOf(testRedisUrl(), 6379));
    hosts.push(hello, other, postgres, redis);
    const allowed = [hello, postgres, redis].map((server) => `${ownAddress}:${portOf(server)}`);
    settings['APPS_NETWORK_ALLOWED'] = allowed.join(',');
    settings['APPS_NETWORK_NAME_SERVERS'] = `127.0.0.1:${await names.start()}`;
  });

  const app = useApp(settings);
  const servers = (): AppServersService => app.get(AppServersService);
  let paid: Deployed;
  let free: Deployed;

  beforeAll(async () => {
    jest.spyOn(app.get(DeployEnvironment), 'of').mockResolvedValue({});
    jest.spyOn(app.get(DeployEnvironment), 'servicesOf').mockResolvedValue([]);
    jest
      .spyOn(app.get(OrgDirectory), 'planOf')
      .mockImplementation((orgId) => Promise.resolve(orgId === 'org_paid' ? 'pro' : 'free'));
    const output = built(
      { 'server.js': SERVER, ...packages('pg', 'ioredis') },
      { kind: 'server', framework: 'node', server: { command: ['node', 'server.js'], directory: '' }, static: [] },
    );
    paid = await deploy(app, output, { orgId: 'org_paid' });
    free = await deploy(app, output, { orgId: 'org_free' });
  });

  afterAll(() => {
    names.stop();
    for (const host of hosts) host.close();
  });

  const attempt = async (
    { label }: Deployed,
    what: string,
    parameters: Record<string, string>,
  ): Promise<{ value?: unknown; error?: string }> => {
    const { text } = await visit(app, label, `/${what}?${new URLSearchParams(parameters).toString()}`);
    return JSON.parse(text) as { value?: unknown; error?: string };
  };

  it('starts although its isolation is refused for a moment, and fails with a sentence if it always is', async () => {
    const isolation = app.get(Isolation);
    const refused = (): Promise<never> => Promise.reject(new IsolationDidNotStart('nsenter: Invalid argument'));
    const output = built(
      { 'server.js': SERVER },
      { kind: 'server', framework: 'node', server: { command: ['node', 'server.js'], directory: '' }, static: [] },
    );
    const { label } = await deploy(app, output, { orgId: 'org_paid' });
    const launch = jest.spyOn(isolation, 'launch').mockImplementationOnce(refused).mockImplementationOnce(refused);
    expect((await visit(app, label, '/')).text).toBe('up');
    expect(launch).toHaveBeenCalledTimes(3);

    launch.mockClear();
    for (let attempt = 0; attempt < 3; attempt++) launch.mockImplementationOnce(refused);
    const second = await deploy(app, output, { orgId: 'org_paid' });
    await expect(
      servers().check(second.deployId, {
        environment: {},
        signal: new AbortController().signal,
        onLine: () => undefined,
      }),
    ).rejects.toThrow(
      new ServerDidNotStart('This machine could not isolate the server. Deploy again in a few minutes.'),
    );
    expect(launch).toHaveBeenCalledTimes(3);
    launch.mockRestore();
  });

  it('uses fetch, WebSocket, PostgreSQL and Redis', async () => {
    expect(await attempt(paid, 'fetch', { url: `http://${ownAddress}:${portOf(hello)}` })).toEqual({ value: 'hello' });
    expect(await attempt(paid, 'webSocket', { url: `ws://${ownAddress}:${portOf(hello)}` })).toEqual({
      value: 'hello',
    });
    const database = new URL(process.env['TEST_POSTGRES_URL']!);
    const login = `${database.username}:${database.password}`;
    const url = `postgres://${login}@${ownAddress}:${portOf(postgres)}${database.pathname}`;
    expect(await attempt(paid, 'postgres', { url })).toEqual({ value: 42 });
    expect(await attempt(paid, 'redis', { url: `redis://${ownAddress}:${portOf(redis)}` })).toEqual({ value: 'hello' });
  });

  it('finds hosts by name', async () => {
    expect(await attempt(paid, 'fetch', { url: `http://hello.test:${portOf(hello)}` })).toEqual({ value: 'hello' });
    expect(await attempt(paid, 'lookup', { name: 'public.test' })).toEqual({ value: ['8.8.8.8'] });
    expect(await attempt(paid, 'lookup', { name: 'localhost' })).toEqual({
      value: expect.arrayContaining(['127.0.0.1']),
    });
    expect(await attempt(paid, 'lookup', { name: 'nothing.example' })).toEqual({ error: 'ENOTFOUND' });
    expect(await attempt(paid, 'resolve', { name: 'public.test', type: 'TXT' })).toEqual({
      value: [['x'.repeat(200)], ['x'.repeat(200)]],
    });
    expect(((await attempt(paid, 'lookup', { name: 'many.test' })).value as string[]).length).toBe(12);
  });

  it('does not learn names that lead inside, and cannot be rebound to what they lead to', async () => {
    for (const name of ['inside.test', 'loopback.test', 'metadata.test', 'mixed.test'])
      expect(await attempt(paid, 'lookup', { name })).toEqual({ error: 'ENOTFOUND' });
    for (let turn = 0; turn < 6; turn++) {
      const { value, error } = await attempt(paid, 'lookup', { name: 'rebinding.test' });
      expect(value ?? error).toEqual(value === undefined ? 'ENOTFOUND' : ['8.8.8.8']);
    }
    expect(await attempt(paid, 'tcp', { host: '10.255.255.254', port: '80' })).toEqual({ error: 'ECONNREFUSED' });
  });

  it('reaches neither other ports of the machine nor its own servers', async () => {
    const accepted = jest.fn();
    other.on('connection', accepted);
    for (const [host, port] of [
      [ownAddress, portOf(other)],
      ['192.0.0.2', portOf(other)],
      [ownAddress, app.appsPort],
      ['127.0.0.1', app.appsPort],
    ] as const)
      expect(await attempt(paid, 'tcp', { host, port: String(port) })).toEqual({ error: 'ECONNREFUSED' });
    expect(accepted).not.toHaveBeenCalled();
  });

  it('reaches on the plan Free only what the operator has listed', async () => {
    expect(await attempt(free, 'fetch', { url: `http://${ownAddress}:${portOf(hello)}` })).toEqual({ value: 'hello' });
    expect(await attempt(free, 'tcp', { host: '8.8.8.8', port: '443' })).toEqual({ error: 'ECONNREFUSED' });
    const before = names.asked;
    expect(await attempt(free, 'lookup', { name: 'public.test' })).toEqual({ error: 'ENOTFOUND' });
    expect(names.asked).toBe(before);
  });

  it('is counted', async () => {
    const counts = await servers().networkCountsOf(paid.deployId);
    expect(counts!.sentBytes).toBeGreaterThan(100);
    expect(counts!.receivedBytes).toBeGreaterThan(100);
    expect(counts!.refusals).toBeGreaterThan(3);
    expect(await servers().networkCountsOf('dpl_unknown')).toBeNull();

    await servers().stop(paid.deployId);
    await servers().stop(free.deployId);
    const total = async (name: string): Promise<number> =>
      Number(new RegExp(`^${name} (\\d+)$`, 'm').exec((await app.fetch('/metrics')).text)![1]);
    await eventually(
      async () => (await total('app_network_sent_bytes_total')) >= counts!.sentBytes,
      'it is in the totals',
    );
    expect(await total('app_network_received_bytes_total')).toBeGreaterThanOrEqual(counts!.receivedBytes);
    expect(await total('app_network_refusals_total')).toBeGreaterThanOrEqual(counts!.refusals);
  });

  it('shows in the probe that apps have a network', async () => {
    expect((await app.fetch('/ready')).body).toMatchObject({ details: { app_network: { status: 'up' } } });
  });
});

describe('an app of a service whose operator wants no network', () => {
  const app = useApp({ APPS_NETWORK: 'off' });

  it('reaches nothing', async () => {
    jest.spyOn(app.get(DeployEnvironment), 'of').mockResolvedValue({});
    jest.spyOn(app.get(DeployEnvironment), 'servicesOf').mockResolvedValue([]);
    const { label } = await deploy(
      app,
      built(
        { 'server.js': SERVER },
        { kind: 'server', framework: 'node', server: { command: ['node', 'server.js'], directory: '' }, static: [] },
      ),
    );
    expect(JSON.parse((await visit(app, label, `/tcp?host=${ownAddress}&port=80`)).text)).toEqual({
      error: 'ENETUNREACH',
    });
    expect((await app.fetch('/ready')).body).toMatchObject({ details: { app_network: { status: 'up', mode: 'off' } } });
  });
});
