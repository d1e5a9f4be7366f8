import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { ServiceUnavailable } from '../errors/platform.errors.js';
import type { Clock } from '../time/clock.js';
import {
  BlobStorage,
  type BlobContent,
  BlobMissing,
  type ByteRange,
  requireKey,
  type StoredBlob,
} from './blob-storage.js';
import type { BlobCredentials, BlobsPlace } from './blobs-url.js';
import { fetchedBody, SentBody } from './s3-bodies.js';

/** Up to this size, a blob is sent from memory, so that it can be sent again when the server fails. */
const IN_MEMORY_BYTES = 8 * 1_048_576;

/** Well below the day for which an unused blob is kept. */
const YOUNG_MS = 3_600_000;

interface S3Waits {
  /** For a connection. */
  readonly connectMs: number;
  /** For the answer to a request, once all of it was sent. Without one, a request is tried twice again. */
  readonly answerMs: number;
  /** For the server to take or send more bytes of a blob. */
  readonly bytesMs: number;
}

/** A slower server is taken for one that does not answer. */
const MIN_BYTES_OF_SECOND = 65_536;

const WAITS: S3Waits = { connectMs: 5_000, answerMs: 30_000, bytesMs: 60_000 };

/**
 * Stores blobs as objects of a bucket. A put of S3 is atomic, so no conditional writes are needed. What the server
 * cannot do for the moment fails with {@link ServiceUnavailable}.
 */
export class S3BlobStorage extends BlobStorage {
  private readonly client: S3Client;
  private readonly bucket: string;
  private readonly prefix: string;

  constructor(
    place: Extract<BlobsPlace, { kind: 's3' }>,
    credentials: BlobCredentials,
    private readonly clock: Clock,
    private readonly waits = WAITS,
  ) {
    super();
    this.bucket = place.bucket;
    this.prefix = place.prefix;
    this.client = new S3Client({
      region: place.region,
      // Servers other than Amazon's have no host name for each bucket.
      ...(place.endpoint === undefined ? {} : { endpoint: place.endpoint, forcePathStyle: true }),
      ...(credentials === undefined
        ? {}
        : { credentials: { ...credentials, sessionToken: credentials.sessionToken! } }),
      // Not every server supports the newer checksums, and the service checks content itself.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      // A server that does not know it would let each large blob wait.
      expectContinueHeader: false,
      // It would print lines of its own. What fails is in the log of the caller.
      logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
      requestHandler: {
        connectionTimeout: waits.connectMs,
        requestTimeout: waits.answerMs,
        throwOnRequestTimeout: true,
        // Readers may be slow. There are as many as callers are let in, and none of them waits for another.
        httpAgent: { maxSockets: Infinity },
        httpsAgent: { maxSockets: Infinity },
      },
    });
  }

  override async put(key: string, content: BlobContent): Promise<void> {
    const body = new SentBody(content, this.waits);
    try {
      if (content.whole !== undefined) await this.send(key, content.whole);
      else if (content.bytes <= IN_MEMORY_BYTES) await this.send(key, await buffer(body.stream));
      else await this.sendStream(key, content, body);
    } finally {
      body.close();
    }
  }

  override async refresh(key: string): Promise<boolean> {
    const changedAt = await this.changedAt(key);
    if (changedAt === null) return false;
    if (this.clock.now().getTime() - changedAt.getTime() < YOUNG_MS) return true;
    try {
      await this.client.send(
        new CopyObjectCommand({
          ...this.named(key),
          CopySource: encodeURI(`${this.bucket}/${this.prefix}${key}`),
          MetadataDirective: 'REPLACE',
        }),
      );
      return true;
    } catch (error) {
      nullIfMissing(error);
      return false;
    }
  }

  override async get(key: string, range?: ByteRange): Promise<Readable> {
    try {
      const { Body: body } = await this.client.send(
        new GetObjectCommand({ ...this.named(key), ...(range && { Range: `bytes=${range.start}-${range.end}` }) }),
      );
      return fetchedBody(body as Readable, this.waits);
    } catch (error) {
      throw isMissing(error) ? new BlobMissing(key, { cause: error }) : failureOf(error);
    }
  }

  override async *list(prefix: string): AsyncGenerator<StoredBlob> {
    let token: string | undefined;
    do {
      const page = await this.client
        .send(
          new ListObjectsV2Command({
            Bucket: this.bucket,
            Prefix: this.prefix + prefix,
            ...(token === undefined ? {} : { ContinuationToken: token }),
          }),
        )
        .catch(fail);
      for (const { Key: name = '', LastModified: changedAt } of page.Contents ?? []) {
        const key = name.slice(this.prefix.length);
        if (changedAt !== undefined) yield { key, changedAt };
      }
      token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    } while (token !== undefined);
  }

  override changedAt(key: string): Promise<Date | null> {
    return this.client
      .send(new HeadObjectCommand(this.named(key)))
      .then(({ LastModified: changedAt }) => changedAt ?? new Date(0), nullIfMissing);
  }

  override async delete(key: string): Promise<void> {
    // Not every server answers that all is well when there is nothing to delete.
    await this.client.send(new DeleteObjectCommand(this.named(key))).catch(nullIfMissing);
  }

  override async tidy(): Promise<void> {
    // A bucket contains no unfinished objects.
  }

  /** From memory, it is sent again when the server fails. */
  private async send(key: string, body: Buffer): Promise<void> {
    const requestTimeout = this.waits.answerMs + (1_000 * body.length) / MIN_BYTES_OF_SECOND;
    await this.client
      .send(new PutObjectCommand({ ...this.named(key), Body: body, ContentLength: body.length }), { requestTimeout })
      .catch(fail);
  }

  private async sendStream(key: string, content: BlobContent, body: SentBody): Promise<void> {
    const command = new PutObjectCommand({ ...this.named(key), Body: body.stream, ContentLength: content.bytes });
    try {
      // The time of a large blob says nothing: the body ends the request when its bytes are not taken.
      await this.client.send(command, { abortSignal: body.signal, requestTimeout: 0 });
    } catch (error) {
      throw body.fault ?? failureOf(error);
    }
  }

  private named(key: string): { Bucket: string; Key: string } {
    requireKey(key);
    return { Bucket: this.bucket, Key: this.prefix + key };
  }
}

const ignore = (): void => undefined;

/** A bucket that is not there is another fault, but the answer to `HEAD` does not tell them apart. */
function isMissing(error: unknown): boolean {
  return error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404 && error.name !== 'NoSuchBucket';
}

function nullIfMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw failureOf(error);
}

function fail(error: unknown): never {
  throw failureOf(error);
}

/** A refusal stays as it is, because it does not go away by itself. */
function failureOf(error: unknown): unknown {
  const { $metadata: metadata, code, name } = error as Partial<S3ServiceException> & NodeJS.ErrnoException;
  const status = metadata?.httpStatusCode;
  const isForNow =
    status === undefined
      ? name === 'TimeoutError' || typeof code === 'string'
      : status >= 500 || status === 408 || status === 429;
  return isForNow ? new ServiceUnavailable(error) : error;
}
