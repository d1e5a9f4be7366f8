import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type PeerHandler = (response: ServerResponse, request: IncomingMessage) => void;

/** A server on this machine, which answers by path and remembers what it was asked. */
export class HttpPeer {
  readonly seen: SeenRequest[] = [];
  readonly handlers = new Map<string, PeerHandler>();
  private readonly sockets = new Set<Socket>();
  private readonly server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => {
      body += part.toString();
    });
    request.on('end', () => {
      const path = request.url!;
      this.seen.push({ method: request.method!, path, headers: request.headers, body });
      (this.handlers.get(path) ?? ((answer) => answer.end('hello')))(response, request);
    });
  });

  async listen(): Promise<void> {
    this.server.on('connection', (socket) => this.sockets.add(socket));
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  at(path: string): string {
    return `http://${this.host}${path}`;
  }

  get connections(): number {
    return this.sockets.size;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
