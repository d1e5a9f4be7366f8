import { createServer as createHttpServer, request, type Server as HttpServer } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, createServer, type Server } from 'node:tls';

import { EgressProxy } from '../../src/platform/egress/egress-proxy.js';

const ALLOWED = 'registry.example.org';
const NEIGHBOUR = 'neighbour.example.org';
/** A shared key in place of a certificate, which would have to be made. */
const KEY_BYTES = Buffer.alloc(16, 7);
const KEY = { ciphers: 'PSK', minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' } as const;
const CLIENT_KEY = {
  ...KEY,
  checkServerIdentity: () => undefined,
  pskCallback: () => ({ psk: KEY_BYTES, identity: 'test' }),
};

/** A server behind one address that many sites share, which answers with the name that it was asked for. */
describe('a tunnel of the egress proxy', () => {
  const directory = mkdtempSync(join(tmpdir(), 'egress-'));
  const refused: string[] = [];
  const asked: string[] = [];
  let shared: Server;
  let proxy: EgressProxy;
  let connections = 0;

  beforeAll(async () => {
    shared = createServer({ ...KEY, pskCallback: () => KEY_BYTES }, (socket) => {
      asked.push(String(socket.servername));
      socket.on('error', () => undefined).end(`this is ${String(socket.servername)}`);
    });
    shared.on('connection', () => {
      connections += 1;
    });
    await new Promise<void>((resolve) => {
      shared.listen(0, '127.0.0.1', resolve);
    });
  });

  afterAll(() => {
    shared.close();
    rmSync(directory, { recursive: true });
  });

  beforeEach(async () => {
    refused.length = 0;
    asked.length = 0;
    proxy = await listening(1_000_000);
  });

  afterEach(() => proxy.close());

  const listening = (bytes: number): Promise<EgressProxy> =>
    EgressProxy.listen({
      directory,
      policy: { hosts: [ALLOWED], trusted: [] },
      bytes,
      refused: (target, reason) => {
        refused.push(`${target} ${reason}`);
      },
      resolve: () => Promise.resolve(['8.8.8.8']),
      connect: () => connect((shared.address() as AddressInfo).port, '127.0.0.1'),
      helloTimeoutMs: 1_500,
    });

  const tunnel = async (target = `${ALLOWED}:443`): Promise<Socket> => {
    const socket = connect(join(directory, 'proxy')).on('error', () => undefined);
    socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
    const [answer] = await new Promise<[string]>((resolve) => {
      socket.once('data', (chunk) => {
        resolve([chunk.toString()]);
      });
    });
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    return socket;
  };
  const allOf = (socket: Socket): Promise<string> =>
    new Promise((resolve) => {
      let said = '';
      socket
        .on('data', (chunk: Buffer) => {
          said += chunk.toString('latin1');
        })
        .once('end', () => {
          resolve(said);
        })
        .once('close', () => {
          resolve(said);
        });
    });
  const over = async (socket: Socket, servername: string): Promise<string> => {
    const secure = connectTls({ ...CLIENT_KEY, socket, servername }).on('error', () => undefined);
    return allOf(secure);
  };

  it('connects to the requested host', async () => {
    expect(await over(await tunnel(), ALLOWED)).toBe(`this is ${ALLOWED}`);
    expect(refused).toEqual([]);
  });

  it('allows no more bytes than it has, and as many again when it is renewed', async () => {
    await proxy.close();
    proxy = await listening(3_000);
    const untilRefused = async (): Promise<number> => {
      for (let served = 0; ; served++) if ((await over(await tunnel(), ALLOWED)) === '') return served;
    };
    const served = await untilRefused();
    expect(served).toBeGreaterThan(0);
    expect(refused.splice(0)).toEqual([`${ALLOWED}:443 too_much`]);
    proxy.renew();
    expect(await untilRefused()).toBe(served);
    // What was reported before is reported again.
    expect(refused).toEqual([`${ALLOWED}:443 too_much`]);
  });

  it('does not reach another site at the same address', async () => {
    expect(await over(await tunnel(), NEIGHBOUR)).toBe('');
    expect(asked).toEqual([]);
    expect(refused).toEqual([`${ALLOWED}:443 other_server_name`]);
  });

  it('accepts a ClientHello byte by byte', async () => {
    const through = await tunnel();
    // Node's client is given a wire that it shares with nobody, and each of its bytes is passed on by itself.
    const wire = new Duplex({
      read: () => undefined,
      write: (chunk: Buffer, _encoding, done) => {
        for (const byte of chunk) through.write(Buffer.from([byte]));
        done();
      },
    });
    through
      .on('data', (chunk: Buffer) => {
        wire.push(chunk);
      })
      .once('close', () => {
        wire.push(null);
      });
    const secure = connectTls({ ...CLIENT_KEY, socket: wire, servername: ALLOWED }).on('error', () => undefined);
    expect(await allOf(secure as unknown as Socket)).toBe(`this is ${ALLOWED}`);
  });

  it.each([
    ['plain http', 'GET / HTTP/1.1\r\nHost: neighbour.example.org\r\n\r\n', 'not_tls'],
    [
      'TLS without a name',
      Buffer.from(`160301002f0100002b0303${'00'.repeat(32)}000002130101000000`, 'hex'),
      'no_server_name',
    ],
    ['nothing at all', '', 'too_slow'],
    ['half a ClientHello', Buffer.from('16030100ff010000fb0303', 'hex'), 'too_slow'],
  ])('closes on %s', async (_what, bytes, reason) => {
    const socket = await tunnel();
    const before = connections;
    if (bytes.length > 0) socket.write(bytes);
    expect(await allOf(socket)).toBe('');
    expect(refused).toEqual([`${ALLOWED}:443 ${reason}`]);
    // No handshake reached the server.
    expect([asked, connections - before]).toEqual([[], 0]);
  });
});

describe('an open policy', () => {
  const directory = mkdtempSync(join(tmpdir(), 'egress-open-'));
  const addresses: Readonly<Record<string, readonly string[]>> = {
    'public.example': ['8.8.8.8'],
    'inside.example': ['10.0.0.1', '169.254.169.254', '::ffff:127.0.0.1'],
    'nowhere.example': [],
  };
  const said: string[] = [];
  const connected: string[] = [];
  let proxy: EgressProxy;
  let site: HttpServer;

  beforeAll(async () => {
    site = createHttpServer((request, response) => response.end(`${request.headers.host} ${request.url}`));
    await new Promise<void>((resolve) => {
      site.listen(0, '127.0.0.1', resolve);
    });
    proxy = await EgressProxy.listen({
      directory,
      policy: { hosts: [], trusted: [], open: true },
      bytes: 1_000_000,
      refused: (target, reason) => said.push(`${target} ${reason}`),
      reached: (target) => said.push(`${target} reached`),
      unreachable: (target) => said.push(`${target} unreachable`),
      resolve: (host) => Promise.resolve(addresses[host] ?? []),
      connect: (_port, address) => {
        connected.push(address);
        return connect((site.address() as AddressInfo).port, '127.0.0.1');
      },
    });
  });
  afterAll(async () => {
    await proxy.close();
    site.close();
    rmSync(directory, { recursive: true });
  });

  const get = (url: string): Promise<string> =>
    new Promise((resolve, reject) => {
      request({ socketPath: join(directory, 'proxy'), path: url, headers: { host: new URL(url).host } }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => {
          resolve(`${answer.statusCode} ${Buffer.concat(chunks).toString()}`.trim());
        });
      })
        .on('error', reject)
        .end();
    });

  it('reaches public addresses by name only, and names each host once', async () => {
    expect(await get('http://public.example/a')).toBe('200 public.example /a');
    expect(await get('http://public.example/b')).toBe('200 public.example /b');
    expect(await get('http://inside.example/')).toBe('403');
    expect(await get('http://nowhere.example/')).toBe('502');
    expect(await get('http://public.example:8080/')).toBe('403');
    expect(await get('http://8.8.8.8/')).toBe('403');
    expect(await get('http://169.254.169.254/latest')).toBe('403');
    expect(said).toEqual([
      'public.example:80 reached',
      'inside.example:80 not_public',
      'nowhere.example:80 unreachable',
      'public.example:8080 not_allowed',
      '8.8.8.8:80 not_allowed',
      '169.254.169.254:80 not_allowed',
    ]);
    expect(new Set(connected)).toEqual(new Set(['8.8.8.8']));
  });
});
