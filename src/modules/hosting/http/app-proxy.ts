import { type ClientRequest, type IncomingMessage, request as httpRequest, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { OtherHosts } from '../../../platform/http/other-hosts.js';
import { AppServersService } from '../app-servers.service.js';
import { AppUnavailable } from '../hosting.errors.js';
import type { AppServer } from '../servers/app-server.js';
import { refuse } from './error-pages.js';
import { endToEnd, forwardedHeaders } from './forwarded-headers.js';
import type { Visit } from './visit.js';

/** From the request to the first byte of the answer, a start of the server included. */
const ANSWER_WITHIN_MS = 60_000;

/** Passes requests on to the servers of deploys, and their answers back, both as they come. */
@Injectable()
export class AppProxy {
  private readonly scheme: string;

  constructor(
    config: Config,
    private readonly hosts: OtherHosts,
    private readonly servers: AppServersService,
  ) {
    this.scheme = config.apps.scheme;
  }

  /** Resolves when the answer has begun, whoever gave it. */
  async answer(visit: Visit, deployId: string): Promise<void> {
    const { request, response } = visit;
    let server: AppServer;
    try {
      server = await this.servers.reach(deployId);
    } catch (error) {
      if (!(error instanceof AppUnavailable)) throw error;
      refuse(response, error.reason === 'failed' ? 'app_failed' : 'app_unavailable');
      return;
    }
    const release = await server.use();
    response.once('close', release);
    if (response.destroyed) {
      release();
      return;
    }
    visit.by = 'server';
    this.exchange(visit, server, isRepeatable(request));
  }

  /** A connection that is no longer one of HTTP: WebSockets for the most part. */
  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, deployId: string): Promise<void> {
    const server = await this.servers.reach(deployId);
    const release = await server.use();
    socket.once('close', release);
    if (socket.destroyed) {
      release();
      return;
    }
    const upstream = this.requestTo(server, request, ['Connection', 'Upgrade', 'Upgrade', request.headers.upgrade ?? '']);
    socket.once('close', () => { upstream.destroy(); });
    upstream.once('error', () => { socket.destroy(); });
    upstream.once('response', (answer) => {
      socket.write(headOf(answer, 'Connection: close\r\n'));
      answer.pipe(socket);
    });
    upstream.once('upgrade', (answer, other: Duplex, otherHead: Buffer) => {
      socket.write(headOf(answer, `Connection: Upgrade\r\nUpgrade: ${answer.headers.upgrade ?? ''}\r\n`));
      if (otherHead.length > 0) socket.write(otherHead);
      if (head.length > 0) other.write(head);
      other.once('error', () => { socket.destroy(); });
      other.once('close', () => { socket.destroy(); });
      socket.once('close', () => { other.destroy(); });
      socket.pipe(other);
      other.pipe(socket);
    });
    upstream.end();
  }

  private exchange(visit: Visit, server: AppServer, mayRepeat: boolean): void {
    const { request, response } = visit;
    const upstream = this.requestTo(server, request, []);
    const late = setTimeout(() => {
      visit.by = 'platform';
      if (!response.headersSent) refuse(response, 'app_timeout');
      upstream.destroy();
    }, ANSWER_WITHIN_MS);
    const gone = (): void => { upstream.destroy(); };
    response.once('close', gone);
    upstream.once('close', () => { clearTimeout(late); });
    upstream.once('error', (error: NodeJS.ErrnoException) => {
      if (response.headersSent || response.destroyed) {
        response.destroy();
      } else if (mayRepeat && upstream.reusedSocket && error.code === 'ECONNRESET') {
        // The server closed a connection that it had held idle, just when we took it up.
        response.off('close', gone);
        this.exchange(visit, server, false);
      } else {
        visit.by = 'platform';
        refuse(response, 'app_failed');
      }
    });
    upstream.once('response', (answer) => {
      clearTimeout(late);
      answer.once('error', () => { response.destroy(); });
      response.writeHead(answer.statusCode!, answer.statusMessage, endToEnd(answer.rawHeaders, answer.headers.connection));
      // What streams, streams from its first byte on.
      response.flushHeaders();
      answer.pipe(response);
      answer.once('close', () => { if (!answer.complete) response.destroy(); });
    });
    if (isRepeatable(request)) upstream.end();
    else request.pipe(upstream);
  }

  private requestTo({ socketPath, agent }: AppServer, request: IncomingMessage, more: readonly string[]): ClientRequest {
    const isTrusted = this.hosts.isTrusted(request);
    const headers = [...forwardedHeaders(request, { scheme: this.scheme, isTrusted }), ...more];
    if (request.headers['transfer-encoding'] !== undefined) headers.push('Transfer-Encoding', 'chunked');
    return httpRequest({ socketPath, agent: more.length > 0 ? false : agent, method: request.method, path: request.url, headers: headers as never, setHost: false });
  }
}

/** Has no body, so that it can be sent again. */
function isRepeatable({ method, headers }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';
}

function headOf(answer: IncomingMessage, connection: string): string {
  const headers = endToEnd(answer.rawHeaders, answer.headers.connection);
  const lines = headers.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${headers[index + 1]}\r\n`] : []));
  return `HTTP/1.1 ${answer.statusCode} ${answer.statusMessage ?? STATUS_CODES[answer.statusCode!]}\r\n${connection}${lines.join('')}\r\n`;
}
