import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { writeHeadAtOnce } from '../../../platform/http/fast-messages.js';
import { Log } from '../../../platform/logging/log.js';
import { ObjectMetrics, type ObjectResult } from '../metrics/object.metrics.js';
import { hasCallerLeft } from '../serving/caller-left.js';
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

const XML = 'application/xml; charset=utf-8';
/** Browsers that follow a signed address take every answer for what it says it is. */
const SHIELD = ['x-content-type-options', 'nosniff'] as const;
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
    let result: ObjectResult = 'ok';
    try {
      await this.write(await work, exchange);
    } catch (error) {
      const refusal = refusalOf(error);
      const isFault = refusal.status >= 500 && refusal.code !== 'SlowDown' && !hasCallerLeft(error, response);
      result = isFault ? 'error' : 'refused';
      if (refusal.code === 'InternalError' && !response.destroyed)
        this.log.error({ error: refusal.cause, requestId, operation: named.operation }, 'A request of S3 failed.');
      this.refuse(refusal, exchange);
    }
    const operation = named.operation ?? 'none';
    this.metrics.answered('s3', operation, result);
    this.metrics.took(operation, (performance.now() - begun) / 1_000);
    this.letGo(request, response);
  }

  private async write(
    { status, headers = {}, body }: S3Answer,
    { request, response, requestId }: Exchange,
  ): Promise<void> {
    const sent: Record<string, string | number> = {
      'x-amz-request-id': requestId,
      [SHIELD[0]]: SHIELD[1],
      ...headers,
    };
    if (body instanceof Readable) {
      if (request.method === 'HEAD') body.destroy();
      else {
        for (const name in sent) response.setHeader(name, sent[name]!);
        response.statusCode = status;
        this.metrics.moved('out', Number(headers['content-length'] ?? 0));
        return pipeline(body, response);
      }
    }
    if (typeof body === 'string') {
      sent['content-type'] = XML;
      sent['content-length'] = Buffer.byteLength(body);
    } else if (sent['content-length'] === undefined && status !== 204 && status !== 304) sent['content-length'] = 0;
    writeHeadAtOnce(response, status, sent);
    if (body instanceof Buffer) this.metrics.moved('out', body.length);
    response.end(body instanceof Readable ? undefined : body);
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
    response.writeHead(refusal.status, {
      'x-amz-request-id': requestId,
      ...refusal.headers,
      [SHIELD[0]]: SHIELD[1],
      'content-type': XML,
      'content-length': Buffer.byteLength(body),
    });
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
  ...['x-request-id', 'x-trace-id'],
  ...['access-control-allow-origin', 'access-control-expose-headers', 'vary'],
]);
