import { type RequestListener, createServer } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express, type Request, type Response } from 'express';
import { Envelope } from './envelope.js';
import { type FastResponse, messagesOf } from './fast-messages.js';
import { CONNECTION_BOUNDS } from './http-listener.js';
import { RawAnswer } from './raw-answer.js';
import { stateOf } from './request-state.js';

const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Express without two of its costs (measured in `docs/benchmarks.md`):
 * 1. Express 5 changes the prototype of every request and response, which spoils the inline caches of V8. Here the
 * server creates them with those prototypes (`fast-messages.ts`), so that nothing changes.
 * 2. A plain object is written at once with its headers, without the detours of `response.json`.
 * Middleware avoids a third cost, which is trying one route after the other (`route-index.ts`).
 */
export class FastExpressAdapter extends ExpressAdapter {
  constructor() {
    const app = express();
    app.disable('x-powered-by');
    app.disable('etag');
    // Rules that match a path by its prefix, such as the call budget, must hold for every spelling that reaches a
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
    // The handler has sent a stream.
    if (response.headersSent && body === undefined) return response;
    if (body instanceof RawAnswer) return sendRaw(response, body, statusCode);
    if (response.headersSent || !isPlain(body)) return super.reply(response, body, statusCode) as unknown;

    const status = body instanceof Envelope ? (body.status ?? statusCode) : statusCode;
    if (status !== undefined) response.statusCode = status;
    const text = JSON.stringify(body instanceof Envelope ? complete(body, response.req) : body);
    return (response as unknown as FastResponse).sendText(text, JSON_TYPE);
  }
}

function sendRaw(response: Response, { body, contentType, headers }: RawAnswer, statusCode = 200): Response {
  response.statusCode = statusCode;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader('Content-Type', contentType);
  response.setHeader('Content-Length', body.length);
  return response.end(body);
}

const complete = (envelope: Envelope<unknown>, request: Request): object => ({
  data: envelope.data,
  meta: { ...envelope.meta, request_id: stateOf(request).requestId },
});

/** The original adapter knows how to send streams, files and buffers. */
function isPlain(body: unknown): body is object {
  return (
    body instanceof Envelope ||
    (typeof body === 'object' && body !== null && Object.getPrototypeOf(body) === Object.prototype) ||
    Array.isArray(body)
  );
}
