import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { randomAddress } from './test-app.js';

/** The fault that is injected into a request. */
export type Fault =
  /** The connection breaks before the request reaches the service. */
  | { readonly kind: 'reset' }
  /** The service handles the request, but its response is lost. */
  | { readonly kind: 'lose-answer' }
  /** A proxy answers instead of the service. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body?: string;
    }
  /** The service answers, and the connection breaks in the middle of the body. */
  | { readonly kind: 'break-off'; readonly status?: number }
  /** The service answers, and half of its body arrives as if it were all. */
  | { readonly kind: 'truncate'; readonly status?: number }
  /** There is no response. */
  | { readonly kind: 'stall' }
  /** The response stops after half of its body. */
  | { readonly kind: 'stall-body' };

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly atMs: number;
}

/**
 * A proxy before the service that injects the next of its {@link faults} into each request, as long as there are any.
 */
export class FaultProxy {
  private readonly server: Server;
  /** All requests in order. */
  readonly seen: SeenRequest[] = [];
  readonly faults: Fault[] = [];
  /** The address of the caller that the service sees. */
  address = randomAddress();

  constructor(private readonly target: () => string) {
    this.server = createServer((request, response) => {
      this.handle(request, response).catch(() => {
        response.destroy();
      });
    });
  }

  async start(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Resets the proxy, with a new address of the caller. */
  reset(...faults: Fault[]): void {
    this.seen.length = 0;
    this.faults.splice(0, this.faults.length, ...faults);
    this.address = randomAddress();
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const atMs = performance.now();
    const body = await buffer(request);
    this.seen.push({
      method: request.method!,
      path: request.url!,
      headers: request.headers,
      body: body.toString(),
      atMs,
    });

    const fault = this.faults.shift();
    if (fault?.kind === 'stall') return;
    if (fault?.kind === 'reset') return void request.socket.resetAndDestroy();
    if (fault?.kind === 'answer') return void response.writeHead(fault.status, { ...fault.headers }).end(fault.body);

    const answer = await this.forward(request, body);
    const text = Buffer.from(await answer.arrayBuffer());
    const half = text.subarray(0, Math.floor(text.length / 2));
    const headers = Object.fromEntries(
      [...answer.headers].filter(
        ([name]) => !['content-length', 'connection', 'keep-alive', 'transfer-encoding'].includes(name),
      ),
    );
    switch (fault?.kind) {
      case undefined:
        response.writeHead(answer.status, { ...headers, 'content-length': text.length }).end(text);
        break;
      case 'lose-answer':
        request.socket.resetAndDestroy();
        break;
      case 'truncate':
        response.writeHead(fault.status ?? answer.status, { ...headers, 'content-length': half.length }).end(half);
        break;
      case 'break-off':
        response.writeHead(fault.status ?? answer.status, { ...headers, 'content-length': text.length });
        response.write(half, () => {
          setTimeout(() => {
            request.socket.resetAndDestroy();
          }, 20);
        });
        break;
      case 'stall-body':
        response.writeHead(answer.status, { ...headers, 'content-length': text.length });
        response.write(half);
        break;
    }
  }

  private forward({ method, url, headers }: IncomingMessage, body: Buffer): Promise<Response> {
    const passed = Object.fromEntries(
      Object.entries(headers as Record<string, string>).filter(([name]) => !['host', 'connection'].includes(name)),
    );
    return fetch(this.target() + url!, {
      method: method!,
      headers: { ...passed, 'x-forwarded-for': this.address },
      ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
    });
  }
}

/** Creates a proxy for the tests of a file, which is reset between them. */
export function useFaultProxy(target: () => string): FaultProxy {
  const proxy = new FaultProxy(target);
  beforeAll(() => proxy.start());
  beforeEach(() => {
    proxy.reset();
  });
  afterAll(() => proxy.stop());
  return proxy;
}
