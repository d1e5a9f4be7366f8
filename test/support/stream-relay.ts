import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RelayedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** A proxy before the service that passes on answers as they arrive, and breaks connections, as a network may. */
export class StreamRelay {
  private readonly server = createServer((asked, answer) => {
    this.pass(asked, answer);
  });
  private isCut = false;
  private leftUntilCut = Infinity;
  private held: Promise<undefined> | undefined;
  /** All requests in order. */
  readonly seen: RelayedRequest[] = [];

  constructor(private readonly target: () => string) {}

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async start(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  reset(): void {
    this.seen.length = 0;
    this.isCut = false;
    this.leftUntilCut = Infinity;
    this.held = undefined;
  }

  /** Breaks all connections, once; `forGood`: and every further one. */
  cut({ forGood = false } = {}): void {
    this.isCut = forGood;
    this.server.closeAllConnections();
  }

  /** Breaks the next answer after this many of its bytes. */
  cutAfter(bytes: number): void {
    this.leftUntilCut = bytes;
  }

  /** Holds back the answer to the next request until the returned function is called. The service gets the request. */
  holdBack(): () => void {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.held = promise;
    return () => {
      resolve(undefined);
    };
  }

  private pass(asked: IncomingMessage, answer: ServerResponse): void {
    const { method, url, headers } = asked as IncomingMessage & { method: string; url: string };
    this.seen.push({ method, path: url, headers });
    if (this.isCut) {
      asked.socket.destroy();
      return;
    }
    const { held } = this;
    this.held = undefined;
    const passed = request(new URL(url, this.target()), { method, headers, agent: false }, (received) => {
      received.on('error', () => asked.socket.destroy());
      if (held === undefined) this.passBack(received, asked, answer);
      else
        void held.then(() => {
          if (!answer.destroyed) this.passBack(received, asked, answer);
        });
    });
    passed.on('error', () => asked.socket.destroy());
    // The service sees at once that the caller is gone.
    answer.on('close', () => passed.destroy());
    asked.pipe(passed);
  }

  private passBack(received: IncomingMessage, asked: IncomingMessage, answer: ServerResponse): void {
    answer.writeHead(received.statusCode!, received.headers);
    answer.flushHeaders();
    received.on('data', (part: Buffer) => {
      this.leftUntilCut -= part.length;
      if (this.leftUntilCut >= 0) {
        answer.write(part);
        return;
      }
      const kept = part.subarray(0, part.length + this.leftUntilCut);
      this.leftUntilCut = Infinity;
      answer.write(kept, () => asked.socket.destroy());
    });
    received.on('end', () => answer.end());
  }
}

/** Creates a relay for the tests of a file, which is reset between them. */
export function useStreamRelay(target: () => string): StreamRelay {
  const relay = new StreamRelay(target);
  beforeAll(() => relay.start());
  beforeEach(() => {
    relay.reset();
  });
  afterAll(() => relay.stop());
  return relay;
}
