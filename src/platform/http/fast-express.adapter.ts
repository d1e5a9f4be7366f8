import { type RequestListener, createServer } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express, type Request, type Response } from 'express';
import { Envelope } from './envelope.js';
import { type FastResponse, messagesOf } from './fast-messages.js';
import { CONNECTION_BOUNDS } from './http-listener.js';
import { stateOf } from './request-state.js';

const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Express as it is, without two of its costs (measured in `docs/benchmarks.md`):
 *
 * 1. Express 5 changes the prototype of every request and response, which spoils the inline caches of V8. Here the
 *    server makes them with those prototypes (`fast-messages.ts`), so that the change is none.
 * 2. An answer that is a plain object is written at once with its head, without the detours of `response.json`.
 *
 * The third, trying one route after the other, is left out by middleware (`route-index.ts`).
 */
export class FastExpressAdapter extends ExpressAdapter {
  constructor() {
    const app = express();
    app.disable('x-powered-by');
    app.disable('etag');
    // What is asked of a path by its prefix, the call budget for one, must hold for every spelling that reaches a
    // route.
    app.enable('case sensitive routing');
    app.set('query parser', 'simple');
    super(app);
  }

  override initHttpServer(): void {
    const app = this.getInstance<Express>();
    this.httpServer = createServer({ ...CONNECTION_BOUNDS, ...messagesOf(app) }, app as unknown as RequestListener);
  }

  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    if (response.headersSent || !isPlain(body)) return super.reply(response, body, statusCode) as unknown;

    const status = body instanceof Envelope ? (body.status ?? statusCode) : statusCode;
    if (status !== undefined) response.statusCode = status;
    const text = JSON.stringify(body instanceof Envelope ? complete(body, response.req) : body);
    return (response as unknown as FastResponse).sendText(text, JSON_TYPE);
  }
}

const complete = (envelope: Envelope<unknown>, request: Request): object => ({
  data: envelope.data,
  meta: { ...envelope.meta, request_id: stateOf(request).requestId },
});

/** Streams, files and buffers have ways of their own to be sent, which the original adapter knows. */
function isPlain(body: unknown): body is object {
  return (
    body instanceof Envelope ||
    (typeof body === 'object' && body !== null && Object.getPrototypeOf(body) === Object.prototype) ||
    Array.isArray(body)
  );
}
