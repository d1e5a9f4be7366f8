import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Call } from '../../auth/caller.js';
import type { KnownAccessKey } from '../access-keys/known-access-key.js';
import type { Bucket } from '../persistence/bucket-rows.js';
import type { RequestBody } from './body/request-body.js';
import { S3Error } from './s3-error.js';

/** A request whose signature has been checked, and which its key allows. */
export interface S3Call {
  readonly accessKey: KnownAccessKey;
  /** The caller that the key acts as. */
  readonly call: Call;
  /** The name in the request. Empty for the service. */
  readonly bucketName: string;
  readonly key: string;
  readonly query: S3Query;
  readonly headers: IncomingMessage['headers'];
  readonly body: RequestBody;
  /** Where the caller reached the service: an origin, and the path before the bucket. */
  readonly endpoint: string;
}

export interface S3BucketCall extends S3Call {
  readonly bucket: Bucket;
}

export interface S3Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | number>>;
  /** XML, or the bytes of an object. */
  readonly body?: string | Buffer | Readable;
}

export interface S3Operation {
  run(call: S3BucketCall): Promise<S3Answer>;
}

/** Operations on the service, on buckets that need not exist, and those that find their bucket themselves. */
export interface S3ServiceOperation {
  run(call: S3Call): Promise<S3Answer>;
}

/** The parameters of the query. One that is there twice is refused, because programs differ in which of them counts. */
export class S3Query {
  private readonly values: ReadonlyMap<string, string>;

  /** @throws {S3Error} */
  constructor(pairs: readonly (readonly [name: string, value: string])[]) {
    const values = new Map<string, string>();
    for (const [name, value] of pairs) {
      if (value.includes('\0')) throw new S3Error('InvalidArgument', 'A query parameter contains NUL.');
      if (values.has(name)) throw new S3Error('InvalidArgument', 'A query parameter is there more than once.');
      values.set(name, value);
    }
    this.values = values;
  }

  get names(): Iterable<string> {
    return this.values.keys();
  }

  has(name: string): boolean {
    return this.values.has(name);
  }

  get(name: string): string | undefined {
    return this.values.get(name);
  }

  /** @throws {S3Error} */
  integer(name: string, { min, max }: { min: number; max: number }): number | undefined {
    const text = this.values.get(name);
    if (text === undefined || text === '') return undefined;
    if (!/^\d{1,9}$/.test(text) || Number(text) < min)
      throw new S3Error('InvalidArgument', `${name} must be a number from ${min} to ${max}.`);
    return Number(text);
  }
}

export const quoted = (etag: string): string => `"${etag}"`;

export const unquoted = (etag: string): string => etag.trim().replace(/^"|"$/g, '');
