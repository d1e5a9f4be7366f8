import { lookup } from 'node:dns/promises';
import {
  createServer,
  type IncomingMessage,
  request as sendRequest,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Duplex, Readable } from 'node:stream';

import { firstFlightOf, type TunnelRefusal } from './checked-tunnel.js';
import { type DirectorySocket, listenIn } from './directory-socket.js';
import { type EgressPolicy, HTTP_PORT, passageTo, type Passage } from './egress-policy.js';
import { isPublicAddress } from './public-address.js';

/**
 * The program that connects the inside of the isolation with the socket. Mount it and run other programs through it.
 */
export const WITH_EGRESS = join(__dirname, 'with-egress.cjs');

/** The name of the socket in its directory. */
const PROXY_SOCKET = 'proxy';
const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 120_000;
const HEADERS_TIMEOUT_MS = 10_000;
/** A client that has its tunnel must send its ClientHello within this time. */
const HELLO_TIMEOUT_MS = 10_000;
/** A busy npm opens about fifty. */
const MOST_CONNECTIONS = 128;
const HOP_BY_HOP = new Set([
  'connection',
  'proxy-connection',
  'proxy-authorization',
  'proxy-authenticate',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const LONGEST_REPORTED_TARGET = 200;
const MOST_REPORTS = 20;

export interface EgressOptions {
  /** A host directory that no isolated program can write to. The socket `proxy` is created in it. */
  readonly directory: string;
  readonly policy: EgressPolicy;
  /** The limit for both directions together. Exceeding it closes the connections. */
  readonly bytes: number;
  /** Called once for each refused target and reason, for example `example.com:443`. */
  readonly refused: (target: string, reason: EgressRefusal) => void;
  /** Called once for each host that was connected to, for example `github.com:443`. */
  readonly reached?: (target: string) => void;
  /** Called when an allowed host could not be reached, for example `registry.npmjs.org:443`. */
  readonly unreachable?: (target: string) => void;
  /** Resolves a name to all of its addresses. The default is the system's resolver. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** Opens a connection to a checked address. The default is the system's. */
  readonly connect?: (port: number, address: string) => Socket;
  readonly helloTimeoutMs?: number;
}

export type EgressRefusal = 'not_allowed' | 'not_public' | 'too_much' | Exclude<TunnelRefusal, 'closed'>;

/**
 * The only way out for an isolated program: a proxy on a Unix socket with an allowlist. It resolves each name itself,
 * once, checks the result and connects to exactly the address that it checked. No URL, redirect or name server can make
 * it reach an internal address.
 */
export class EgressProxy {
  private readonly server: Server;
  private readonly sockets = new Set<Duplex>();
  private readonly reported = new Set<string>();
  private readonly reachedHosts = new Set<string>();
  /** The hosts of tunnels to port 80, in which clients speak HTTP with this proxy. */
  private readonly httpTunnels = new WeakMap<Duplex, string>();
  private bytesLeft: number;
  private listening!: DirectorySocket;

  private constructor(private readonly options: EgressOptions) {
    this.bytesLeft = options.bytes;
    this.server = createServer({
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: 0,
      keepAliveTimeout: HEADERS_TIMEOUT_MS,
    });
    this.server.maxConnections = MOST_CONNECTIONS;
    this.server.on('connection', (socket) => {
      this.keep(socket);
    });
    this.server.on('clientError', (_error, socket) => {
      socket.destroy();
    });
    this.server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
      void this.tunnel(request.url ?? '', client, head);
    });
    this.server.on('request', (request, response) => {
      void this.forward(request, response);
    });
  }

  static async listen(options: EgressOptions): Promise<EgressProxy> {
    const proxy = new EgressProxy(options);
    proxy.listening = await listenIn(options.directory, PROXY_SOCKET, proxy.server);
    return proxy;
  }

  /** Allows as many bytes as at the beginning, and calls the callbacks again for what they were called for. */
  renew(): void {
    this.bytesLeft = this.options.bytes;
    this.reported.clear();
    this.reachedHosts.clear();
  }

  async close(): Promise<void> {
    const closed = this.listening.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private async tunnel(target: string, client: Duplex, head: Buffer): Promise<void> {
    client.on('error', () => undefined);
    const passage = passageTo(target, this.options.policy);
    if (passage?.publicOnly === true && passage.port === HTTP_PORT) {
      this.speakHttp(passage, client, head);
      return;
    }
    const upstream = passage === null ? this.refuse(target, 'not_allowed') : await this.connectTo(passage);
    if (typeof upstream === 'string' || client.destroyed) {
      if (typeof upstream !== 'string') upstream.destroy();
      client.end(
        `HTTP/1.1 ${upstream === 'unreachable' ? '502 Bad Gateway' : '403 Forbidden'}\r\n` +
          'Content-Length: 0\r\nConnection: close\r\n\r\n',
      );
      return;
    }
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    client.once('close', () => upstream.destroy());
    upstream.once('close', () => client.destroy());
    this.count(client, target);
    const first = passage!.publicOnly ? await this.checked(passage!, client, head) : head;
    if (first === null) {
      client.destroy();
      return;
    }
    this.count(upstream, target);
    if (first.length > 0) upstream.write(first);
    client.pipe(upstream).pipe(client);
  }

  /**
   * Serves a tunnel to port 80 as the proxy itself, request by request. Some clients, such as `fetch` of Node, ask for
   * a tunnel even for plain HTTP, and nothing but HTTP may go through it.
   */
  private speakHttp({ host }: Passage, client: Duplex, head: Buffer): void {
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    if (head.length > 0) client.unshift(head);
    this.httpTunnels.set(client, host);
    this.server.emit('connection', client);
  }

  /** Returns the first bytes of a client that asked for the allowed server, and null for any other client. */
  private async checked({ host, port }: Passage, client: Duplex, head: Buffer): Promise<Buffer | null> {
    const flight = await firstFlightOf(client, {
      serverName: host,
      withinMs: this.options.helloTimeoutMs ?? HELLO_TIMEOUT_MS,
      head,
    });
    if ('bytes' in flight) return flight.bytes;
    if (flight.refusal !== 'closed') this.refuse(`${host}:${port}`, flight.refusal);
    return null;
  }

  /** Forwards a plain HTTP request, which is allowed to hosts of the operator, and to port 80 by an open policy. */
  private async forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const host = this.httpTunnels.get(request.socket);
    const asked = host === undefined ? (request.url ?? '') : `http://${host}${request.url ?? ''}`;
    const url = URL.canParse(asked) ? new URL(asked) : null;
    const target = url === null ? '' : `${url.hostname}:${url.port === '' ? 80 : url.port}`;
    const passage = url?.protocol === 'http:' ? passageTo(target, this.options.policy) : null;
    const upstream =
      passage === null || (passage.publicOnly && passage.port !== HTTP_PORT)
        ? this.refuse(target, 'not_allowed')
        : await this.connectTo(passage);
    if (typeof upstream === 'string') {
      response.writeHead(upstream === 'unreachable' ? 502 : 403, { 'Content-Length': 0, Connection: 'close' }).end();
      return;
    }
    this.count(upstream, target);
    this.count(request, target);
    const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !HOP_BY_HOP.has(name)));
    const forwarded = sendRequest(
      { createConnection: () => upstream, method: request.method, path: `${url!.pathname}${url!.search}`, headers },
      (answer) => {
        const kept = Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !HOP_BY_HOP.has(name)));
        response.writeHead(answer.statusCode ?? 502, kept);
        answer.on('error', () => response.destroy());
        answer.pipe(response);
      },
    );
    forwarded.on('error', () => response.destroy());
    response.once('close', () => upstream.destroy());
    request.pipe(forwarded);
  }

  private async connectTo(passage: Passage): Promise<Socket | 'unreachable' | 'refused'> {
    const connected = await this.connectToAny(passage);
    if (typeof connected !== 'string') this.report(passage);
    if (connected === 'unreachable') this.options.unreachable?.(`${passage.host}:${passage.port}`);
    return connected;
  }

  private async connectToAny(passage: Passage): Promise<Socket | 'unreachable' | 'refused'> {
    const addresses = await this.resolve(passage.host).catch(() => []);
    if (addresses.length === 0) return 'unreachable';
    const allowed = passage.publicOnly ? addresses.filter(isPublicAddress) : addresses;
    if (allowed.length === 0) return this.refuse(`${passage.host}:${passage.port}`, 'not_public');
    for (const address of allowed.slice(0, 3)) {
      const socket = await this.connectAt(address, passage.port);
      if (socket !== null) return socket;
    }
    return 'unreachable';
  }

  private connectAt(host: string, port: number): Promise<Socket | null> {
    return new Promise((resolve) => {
      const socket = (this.options.connect ?? connect)(port, host);
      this.keep(socket);
      socket.setTimeout(CONNECT_TIMEOUT_MS, () => socket.destroy());
      socket.once('connect', () => {
        socket.setTimeout(IDLE_TIMEOUT_MS);
        resolve(socket);
      });
      socket.on('error', () => {
        resolve(null);
      });
      socket.once('close', () => {
        resolve(null);
      });
    });
  }

  private async resolve(host: string): Promise<readonly string[]> {
    if (isIP(host) !== 0) return [host];
    if (this.options.resolve !== undefined) return this.options.resolve(host);
    return (await lookup(host, { all: true })).map(({ address }) => address);
  }

  private count(socket: Readable, target: string): void {
    socket.on('data', (chunk: Buffer) => {
      this.bytesLeft -= chunk.length;
      if (this.bytesLeft >= 0) return;
      this.refuse(target, 'too_much');
      for (const each of this.sockets) each.destroy();
    });
  }

  private refuse(target: string, reason: EgressRefusal): 'refused' {
    const shortTarget = target.slice(0, LONGEST_REPORTED_TARGET);
    const key = `${shortTarget} ${reason}`;
    if (!this.reported.has(key) && this.reported.size < MOST_REPORTS) {
      this.reported.add(key);
      this.options.refused(shortTarget, reason);
    }
    return 'refused';
  }

  private report({ host, port }: Passage): void {
    const target = `${host}:${port}`;
    if (this.options.reached === undefined || this.reachedHosts.has(target)) return;
    this.reachedHosts.add(target);
    this.options.reached(target);
  }

  private keep(socket: Duplex): void {
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    socket.on('error', () => undefined);
  }
}
