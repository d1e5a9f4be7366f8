import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import type { Scope } from '../../auth/scopes.js';
import { BucketsService } from '../buckets/buckets.service.js';
import { requireObjectKey } from '../domain/object-keys.js';
import { ObjectsSettings } from '../objects.settings.js';
import type { Bucket } from '../persistence/bucket-rows.js';
import { LinkKeys } from './link-keys.js';
import { type LinkedRequest, presign } from './presign.js';
import { MAX_BYTES_PARAMETER } from './signed-limits.js';

export const LINK_METHODS = ['GET', 'HEAD', 'PUT', 'DELETE'] as const;
export type LinkMethod = (typeof LINK_METHODS)[number];

const SCOPE_OF: Readonly<Record<LinkMethod, Scope>> = {
  GET: 'storage:read',
  HEAD: 'storage:read',
  PUT: 'storage:write',
  DELETE: 'storage:write',
};

/** Programs for S3 name a region, and every name is taken. */
const REGION = 'us-east-1';

export interface SignInput {
  readonly method: LinkMethod;
  readonly key: string;
  readonly expiresSeconds: number;
  /** Only for `PUT`: the type that the request must announce. */
  readonly contentType?: string | undefined;
  /** Only for `PUT`: how large the body may be. */
  readonly maxBytes?: number | undefined;
}

export interface SignedLink {
  readonly url: string;
  readonly method: string;
  /** Headers that the request must have. */
  readonly headers: Readonly<Record<string, string>>;
  readonly expiresAt: Date;
}

interface LinkPlace {
  /** Which address of the service the links have. */
  readonly at: 'storage' | 'api';
  readonly expiresSeconds: number;
}

/** Signs requests, so that others can make them without a key. */
@Injectable()
export class LinksService {
  constructor(
    private readonly buckets: BucketsService,
    private readonly keys: LinkKeys,
    private readonly settings: ObjectsSettings,
    private readonly clock: Clock,
  ) {}

  /**
   * Signs a request for one object. The link ends with the permissions of the caller, if they end first.
   *
   * @throws {BucketNotFound} `bucket_not_found` @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {InvalidKey} `invalid_key`
   */
  async sign(call: Call, bucketId: string, input: SignInput): Promise<SignedLink> {
    const bucket = await this.buckets.get(call, bucketId, SCOPE_OF[input.method]);
    const { contentType, maxBytes, expiresSeconds } = input;
    const headers = contentType === undefined ? {} : { 'content-type': contentType };
    const query = maxBytes === undefined ? {} : { [MAX_BYTES_PARAMETER]: String(maxBytes) };
    const [link] = await this.signAll(call, bucket, { at: 'storage', expiresSeconds }, [
      { method: input.method, key: input.key, headers, query },
    ]);
    return link!;
  }

  /** Signs requests for objects of a bucket that the caller has been admitted to. */
  async signAll(
    call: Call,
    { orgId, label }: Bucket,
    { at, expiresSeconds }: LinkPlace,
    requests: readonly (Pick<LinkedRequest, 'method' | 'headers' | 'query'> & { readonly key: string })[],
  ): Promise<SignedLink[]> {
    const { id: accessKeyId, secret } = await this.keys.of(call, orgId);
    const now = this.clock.now();
    const endpoint = at === 'api' ? this.settings.apiEndpoint : this.settings.endpoint;
    const expiresAt = new Date(Math.floor(now.getTime() / 1_000) * 1_000 + expiresSeconds * 1_000);
    return requests.map(({ method, key, headers = {}, query = {} }) => {
      const request = { method, endpoint, path: `${label}/${requireObjectKey(key)}`, headers, query };
      const url = presign(request, { accessKeyId, secret, region: REGION, at: now, expiresSeconds });
      return { url, method, headers, expiresAt };
    });
  }
}
