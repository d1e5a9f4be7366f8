import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import type { ByteRange } from '../../../platform/blobs/blob-storage.js';
import { Log } from '../../../platform/logging/log.js';
import { CORS_VARY } from '../cors/cors-answer.js';
import { ObjectMetrics, resultOf } from '../metrics/object.metrics.js';
import { RangeNotSatisfiable } from '../objects.errors.js';
import { ObjectsService } from '../objects/objects.service.js';
import type { Bucket } from '../persistence/bucket-rows.js';
import { hasCallerLeft } from './caller-left.js';
import { bodyHeadersOf, type HeaderPair, sizeOfBody } from './object-headers.js';
import { PublicCache, type PublicObject } from './public-cache.js';
import { refusePublic } from './public-pages.js';
import { type ReadOutcome, outcomeOf } from './read-conditions.js';

const MAX_KEY_BYTES = 1_024;
/** A browser asks again before it uses what it has, unless the tenant says otherwise. */
const DEFAULT_CACHE_CONTROL: HeaderPair = ['Cache-Control', 'public, max-age=0, must-revalidate'];

/** Serves the objects of public buckets, each bucket on an origin of its own. Objects are never listed. */
@Injectable()
export class PublicFiles {
  constructor(
    private readonly cache: PublicCache,
    private readonly objects: ObjectsService,
    private readonly metrics: ObjectMetrics,
    private readonly log: Log,
  ) {}

  /** Answers a request that has no signature. It never throws. */
  answer(request: IncomingMessage, response: ServerResponse, label: string): void {
    const operation = request.method === 'HEAD' ? 'HeadObject' : 'GetObject';
    this.tryToAnswer(request, response, label)
      .then(() => {
        this.metrics.answered('public', operation, resultOf(response.statusCode));
      })
      .catch((error: unknown) => {
        this.metrics.answered('public', operation, 'error');
        this.log.error({ error }, 'A public object could not be served.');
        if (!response.destroyed) refusePublic(response, 503, { 'Retry-After': '1' });
      });
  }

  private async tryToAnswer(request: IncomingMessage, response: ServerResponse, label: string): Promise<void> {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      refusePublic(response, 405, { Allow: 'GET, HEAD' });
      return;
    }
    const key = keyOf(request.url ?? '');
    if (key === undefined) {
      refusePublic(response, 400);
      return;
    }
    // A bucket that is private answers like one that does not exist, and like a missing object.
    const bucket = key === '' ? null : await this.cache.bucketOf(label);
    const found = bucket?.visibility === 'public' ? await this.cache.objectOf(bucket, key) : null;
    if (bucket === null || found === null) {
      refusePublic(response, 404);
      return;
    }
    await this.serve(request, response, { bucket, found });
  }

  private async serve(request: IncomingMessage, response: ServerResponse, { bucket, found }: Served): Promise<void> {
    const headers = withCaching(found.headers, bucket);
    let outcome: ReadOutcome;
    try {
      outcome = outcomeOf(request.headers, found.object);
    } catch (error) {
      if (!(error instanceof RangeNotSatisfiable)) throw error;
      refusePublic(response, 416, { 'Content-Range': `bytes */${found.object.size}` });
      return;
    }
    if (outcome.kind === 'changed') {
      refusePublic(response, 412);
      return;
    }
    if (outcome.kind === 'not_modified') {
      writeHead(
        response,
        304,
        headers.filter(([name]) => name !== 'Content-Type'),
      );
      response.end();
      return;
    }
    const range = outcome.kind === 'part' ? outcome.range : undefined;
    const isHead = request.method === 'HEAD';
    // Bytes that cannot be read are found out while the answer can still say so.
    const body = isHead ? undefined : (bytesOf(found, range) ?? (await this.objects.open(found.object, range)));
    writeHead(response, range === undefined ? 200 : 206, [...headers, ...bodyHeadersOf(found.object, range)]);
    if (body === undefined) {
      response.end();
      return;
    }
    this.metrics.moved('out', sizeOfBody(found.object, range));
    if (body instanceof Readable) await this.send(response, body);
    else response.end(body);
  }

  private async send(response: ServerResponse, body: Readable): Promise<void> {
    try {
      await pipeline(body, response);
    } catch (error) {
      if (hasCallerLeft(error, response)) return;
      // The head was sent, so that the connection can only be closed.
      response.destroy();
      throw error;
    }
  }
}

interface Served {
  readonly bucket: Bucket;
  readonly found: PublicObject;
}

/** Returns the bytes of an answer if they are in memory. */
const bytesOf = ({ bytes }: PublicObject, range: ByteRange | undefined): Buffer | undefined =>
  range === undefined ? bytes : bytes?.subarray(range.start, range.end + 1);

/** Answers differ by origin where the bucket has rules for other origins, also those without an origin. */
const withCaching = (headers: readonly HeaderPair[], { cors }: Bucket): readonly HeaderPair[] => [
  ...headers,
  ...(headers.some(([name]) => name === 'Cache-Control') ? [] : [DEFAULT_CACHE_CONTROL]),
  ...(cors.length > 0 ? [['Vary', CORS_VARY] as const] : []),
];

/** Headers that were set before, for a page of another origin, are sent as well. */
function writeHead(response: ServerResponse, status: number, headers: readonly HeaderPair[]): void {
  for (const [name, value] of headers) response.setHeader(name, value);
  response.writeHead(status);
}

/** Returns the key in a path, exactly as it was sent. Undefined for what can be no key. */
function keyOf(target: string): string | undefined {
  const end = target.indexOf('?');
  const path = target.slice(1, end === -1 ? undefined : end);
  if (!target.startsWith('/') || path.length > 3 * MAX_KEY_BYTES) return undefined;
  try {
    const key = decodeURIComponent(path);
    return Buffer.byteLength(key) > MAX_KEY_BYTES || key.includes('\0') ? undefined : key;
  } catch {
    return undefined;
  }
}
