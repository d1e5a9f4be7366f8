import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';

const HOST = '127.0.0.1';
const PATH = '/signed-in';

/** With what the browser came back. */
export type Returned = { readonly code: string } | { readonly error: string };

/**
 * Takes the one request with which a browser comes back from a sign-in. Only programs and pages of this machine can
 * reach it; those that do not know the state are refused, and so are pages that reach it by another name.
 */
export class LoopbackServer {
  private readonly server: Server;
  private readonly state = randomBytes(16).toString('base64url');
  private take: (returned: Returned) => void = () => undefined;
  /** What the browser came back with. */
  readonly returned = new Promise<Returned>((resolve) => {
    this.take = resolve;
  });

  private constructor() {
    this.server = createServer((request, response) => {
      this.answer(request, response);
    });
  }

  static async start(): Promise<LoopbackServer> {
    const server = new LoopbackServer();
    server.server.listen(0, HOST);
    await once(server.server, 'listening');
    return server;
  }

  /** Where the browser comes back to. */
  get address(): string {
    return `http://${this.host}${PATH}?state=${this.state}`;
  }

  /** Browsers keep connections for requests that never come. */
  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private get host(): string {
    return `${HOST}:${(this.server.address() as AddressInfo).port}`;
  }

  private answer({ method, headers, url = '' }: IncomingMessage, response: ServerResponse): void {
    const target = `http://${HOST}${url}`;
    const { pathname, searchParams } = URL.canParse(target) ? new URL(target) : new URL('http://none');
    const [code, error] = [searchParams.get('code'), searchParams.get('error')];
    const isOurs =
      method === 'GET' &&
      headers.host === this.host &&
      pathname === PATH &&
      this.isState(searchParams.get('state') ?? '') &&
      (code !== null || error !== null);
    if (!isOurs) {
      end(response, 404, 'There is nothing here.');
      return;
    }
    const returned = error === null ? { code: code! } : { error };
    // The server ends with it, and the person should see the page before.
    response.once('close', () => {
      this.take(returned);
    });
    end(
      response,
      200,
      error === null
        ? 'Go back to the terminal. You can close this window.'
        : 'The command is not logged in. You can close this window.',
    );
  }

  private isState(text: string): boolean {
    const [given, wanted] = [Buffer.from(text), Buffer.from(this.state)];
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  }
}

/** The address has the code in it: no other page learns it, and nothing is kept. */
function end(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      connection: 'close',
    })
    .end(
      '<!doctype html><html lang="en"><meta charset="utf-8"><title>Service platform</title>' +
        '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">' +
        `<body style="font-family: system-ui; margin: 4rem auto; max-width: 30rem"><main><h1>${text}</h1></main>\n`,
    );
}
