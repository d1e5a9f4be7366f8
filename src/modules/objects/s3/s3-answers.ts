import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { Log } from '../../../platform/logging/log.js';
import { ObjectMetrics } from '../metrics/object.metrics.js';
import type { S3Answer } from './s3-call.js';
import type { S3Error } from './s3-error.js';
import { refusalOf } from './s3-refusals.js';
import type { S3OperationName } from './s3-routes.js';
import { writeErrorXml } from './xml/xml-writer.js';

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** Undefined when the request names none. */
  readonly named: { readonly operation: S3OperationName | undefined };
}

const XML = 'application/xml';
/** A body that was refused is read for so long, so that the caller sees the answer. */
const DRAIN_MS = 2_000;

/** Writes the answers of S3: XML, bytes and errors. */
@Injectable()
export class S3Answers {
  constructor(
    private readonly metrics: ObjectMetrics,
    private readonly log: Log,
  ) {}

  /** Never rejects. */
  async send(work: Promise<S3Answer>, exchange: Exchange): Promise<void> {
    const { request, response, requestId, named } = exchange;
    const begun = performance.now();
    let result = 'ok';
    response.setHeader('x-amz-request-id', requestId);
    try {
      await this.write(await work, exchange);
    } catch (error) {
      const refusal = refusalOf(error);
      result = refusal.status >= 500 && refusal.code !== 'SlowDown' ? 'error' : 'refused';
      if (refusal.code === 'InternalError' && !response.destroyed)
        this.log.error({ error: refusal.cause, requestId, operation: named.operation }, 'A request of S3 failed.');
      this.refuse(refusal, exchange);
    }
    this.metrics.answered(named.operation ?? 'none', result, (performance.now() - begun) / 1_000);
    this.letGo(request, response);
  }

  private async write({ status, headers = {}, body }: S3Answer, { request, response }: Exchange): Promise<void> {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.statusCode = status;
    if (body instanceof Readable) {
      if (request.method === 'HEAD') body.destroy();
      else {
        this.metrics.moved('out', Number(headers['content-length'] ?? 0));
        return pipeline(body, response);
      }
    }
    if (typeof body === 'string') {
      response.setHeader('content-type', XML);
      response.setHeader('content-length', Buffer.byteLength(body));
      response.end(body);
    } else {
      if (!response.hasHeader('content-length') && status !== 204 && status !== 304)
        response.setHeader('content-length', 0);
      response.end();
    }
  }

  private refuse(refusal: S3Error, { request, response, requestId }: Exchange): void {
    // Half of an object was sent, so that the caller must see that the rest is missing.
    if (response.headersSent) {
      response.destroy();
      return;
    }
    for (const name of response.getHeaderNames()) if (!KEPT.has(name)) response.removeHeader(name);
    const body = writeErrorXml([
      ['Code', refusal.code],
      ['Message', refusal.message],
      ['RequestId', requestId],
    ]);
    if (!request.complete) response.setHeader('connection', 'close');
    const headers = { ...refusal.headers, 'content-type': XML, 'content-length': Buffer.byteLength(body) };
    response.writeHead(refusal.status, headers);
    response.end(body);
  }

  /** Ends a connection on which more of a body arrives than anything wants. */
  private letGo(request: IncomingMessage, response: ServerResponse): void {
    if (request.complete || response.destroyed) return;
    request.resume();
    const end = setTimeout(() => request.socket.destroy(), DRAIN_MS).unref();
    request.once('close', () => {
      clearTimeout(end);
    });
  }
}

/** What the listener has set for all answers. */
const KEPT: ReadonlySet<string> = new Set([
  ...['x-amz-request-id', 'x-request-id', 'x-trace-id'],
  ...['access-control-allow-origin', 'access-control-expose-headers', 'vary'],
]);
