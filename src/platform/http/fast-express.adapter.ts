import { IncomingMessage, type RequestListener, type Server, ServerResponse, createServer } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express, type Request, type Response } from 'express';
import { Envelope } from './envelope.js';
import type { OtherHosts } from './other-hosts.js';
import { stateOf } from './request-state.js';

/** A caller that sends one byte at a time must not hold a connection for ever. */
const BOUNDS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Longer than the idle time of common load balancers (60 s), so that it is never we who close first.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
} as const;

const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Express as it is, without two of its costs (measured in `docs/benchmarks.md`):
 *
 * 1. Express 5 changes the prototype of every request and response, which spoils the inline caches of V8. Here the
 *    server is created with constructors that make them with Express' own prototypes, so that the change is none.
 * 2. An answer that is a plain object is written at once, without the detours of `response.json`.
 */
export class FastExpressAdapter extends ExpressAdapter {
  private others: OtherHosts | undefined;

  constructor() {
    const app = express();
    app.disable('x-powered-by');
    app.disable('etag');
    // What is asked of a path by its prefix, the call budget for one, must hold for every spelling that reaches a route.
    app.enable('case sensitive routing');
    app.set('query parser', 'simple');
    super(app);
  }

  override initHttpServer(): void {
    const app = this.getInstance<Express>();
    // Only what this server was to upgrade: others ask as well (curl and Java for HTTP/2), and are answered as if they had not.
    takeUpgradesWhere(app.request, (request) => this.others?.of(request) !== undefined);
    const server = createServerWithPrototypes(app, (request, response) => {
      const other = this.others?.of(request);
      if (other === undefined) (app as unknown as RequestListener)(request, response);
      else other.handler.answer(request, response, other.host);
    });
    server.on('upgrade', (request: IncomingMessage, socket, head) => {
      const other = this.others?.of(request);
      if (other === undefined) socket.destroy();
      else other.handler.upgrade(request, socket, head, other.host);
    });
    this.httpServer = server;
  }

  /** Requests for these never come to Express, nor to anything of Nest. */
  leaveTo(others: OtherHosts): void {
    this.others = others;
  }

  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    if (response.headersSent || !isPlain(body)) return super.reply(response, body, statusCode) as unknown;

    const status = body instanceof Envelope ? body.status ?? statusCode : statusCode;
    if (status !== undefined) response.statusCode = status;
    const text = JSON.stringify(body instanceof Envelope ? complete(body, response.req) : body);
    if (!response.hasHeader('content-type')) response.setHeader('content-type', JSON_TYPE);
    response.setHeader('content-length', Buffer.byteLength(text));
    return response.end(text);
  }
}

const complete = (envelope: Envelope<unknown>, request: Request): object => ({
  data: envelope.data,
  meta: { ...envelope.meta, request_id: stateOf(request).requestId },
});

/** Streams, files and buffers have ways of their own to be sent, which the original adapter knows. */
function isPlain(body: unknown): body is object {
  return body instanceof Envelope || (typeof body === 'object' && body !== null && Object.getPrototypeOf(body) === Object.prototype)
    || Array.isArray(body);
}

/**
 * Node takes every request with `Upgrade` away from the request listener as soon as anybody listens for upgrades, and asks
 * `request.upgrade` whether it is one. By then the headers are known.
 */
function takeUpgradesWhere(prototype: Request, isTaken: (request: IncomingMessage) => boolean): void {
  Object.defineProperty(prototype, 'upgrade', {
    get(this: MayUpgrade) { return this.asksForUpgrade === true && isTaken(this); },
    set(this: MayUpgrade, value: unknown) { this.asksForUpgrade = value; },
  });
}

type MayUpgrade = IncomingMessage & { asksForUpgrade?: unknown };

function createServerWithPrototypes(app: Express, listener: RequestListener): Server {
  // Classes, because V8 gives what they make room for all of its fields at once; what a function makes is enlarged again
  // and again. Express takes their prototypes for its own, and they inherit what it had.
  class FastRequest extends IncomingMessage {}
  class FastResponse extends ServerResponse {}
  Object.setPrototypeOf(FastRequest.prototype, app.request);
  Object.setPrototypeOf(FastResponse.prototype, app.response);
  app.request = FastRequest.prototype as Request;
  app.response = FastResponse.prototype as Response;

  return createServer({ ...BOUNDS, IncomingMessage: FastRequest, ServerResponse: FastResponse }, listener);
}
