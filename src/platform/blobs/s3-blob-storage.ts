import { Readable } from 'node:stream';
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

/** Up to this size, a blob is sent from memory, so that it can be sent again when the server fails. */
const IN_MEMORY_BYTES = 8 * 1_048_576;

/** Well below the day for which an unused blob is kept. */
const YOUNG_MS = 3_600_000;

/** Stores blobs as objects of a bucket. A put of S3 is atomic, so no conditional writes are needed. */
export class S3BlobStorage extends BlobStorage {
  private readonly client: S3Client;
  private readonly bucket: string;
  private readonly prefix: string;

  constructor(
    place: Extract<BlobsPlace, { kind: 's3' }>,
    credentials: BlobCredentials,
    private readonly clock: Clock,
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
    });
  }

  override async put(key: string, content: BlobContent): Promise<void> {
    const stream = Readable.from(exactly(content), { objectMode: false });
    const body = content.bytes <= IN_MEMORY_BYTES ? await buffer(stream) : stream;
    await this.client.send(new PutObjectCommand({ ...this.named(key), Body: body, ContentLength: content.bytes }));
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
      return body as Readable;
    } catch (error) {
      throw isMissing(error) ? new BlobMissing(key, { cause: error }) : error;
    }
  }

  override async *list(prefix: string): AsyncGenerator<StoredBlob> {
    let token: string | undefined;
    do {
      const page = await this.client.send(
        new ListObjectsV2Command({
          Bucket: this.bucket,
          Prefix: this.prefix + prefix,
          ...(token === undefined ? {} : { ContinuationToken: token }),
        }),
      );
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
    await this.client.send(new DeleteObjectCommand(this.named(key)));
  }

  override async tidy(): Promise<void> {
    // A bucket contains no unfinished objects.
  }

  private named(key: string): { Bucket: string; Key: string } {
    requireKey(key);
    return { Bucket: this.bucket, Key: this.prefix + key };
  }
}

/** Checks the number of bytes, because the server would wait for missing ones. */
async function* exactly(content: BlobContent): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of content.open() as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    yield chunk;
  }
  if (bytes !== content.bytes) throw new Error(`A blob of ${content.bytes} bytes came to ${bytes}.`);
}

function isMissing(error: unknown): boolean {
  return error instanceof S3ServiceException && (error.$metadata.httpStatusCode === 404 || error.name === 'NoSuchKey');
}

function nullIfMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}
