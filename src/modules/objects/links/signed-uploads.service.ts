import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { PLANS } from '../../plans/plan.js';
import { BucketsService } from '../buckets/buckets.service.js';
import { MAX_PARTS, MultipartService } from '../multipart/multipart.service.js';
import { UploadCompletion } from '../multipart/upload-completion.js';
import { InvalidPart, ObjectUploadNotFound } from '../objects.errors.js';
import type { Bucket, ObjectUpload, StoredObject, UploadPart } from '../persistence/bucket-rows.js';
import { ObjectUploadsStore } from '../persistence/object-uploads.store.js';
import { WriteGate } from '../writes/write-gate.js';
import { LinksService, type SignedLink } from './links.service.js';
import { MAX_BYTES_PARAMETER } from './signed-limits.js';

const MIN_PART_BYTES = 8 * 1_048_576;
const PART_STEP_BYTES = 1_048_576;
const GIGABYTE = 1_000_000_000;
/** Long enough to send one part on a slow line. */
const LINK_SECONDS = 3_600;

export interface BeginSignedUploadInput {
  readonly key: string;
  readonly sizeBytes: number;
  readonly contentType: string;
}

export interface SignedUpload {
  readonly upload: ObjectUpload;
  readonly partBytes: number;
  /** How many parts there are when all have arrived. */
  readonly parts: number;
  /** Numbers of the parts that are there as a whole. */
  readonly uploaded: readonly number[];
}

export interface SignedPart extends SignedLink {
  readonly number: number;
}

/**
 * Uploads in parts for programs that have no access key, such as the dashboard. Each part has a link of its own, so
 * that an upload can be resumed.
 */
@Injectable()
export class SignedUploadsService {
  constructor(
    private readonly buckets: BucketsService,
    private readonly multipart: MultipartService,
    private readonly completion: UploadCompletion,
    private readonly uploads: ObjectUploadsStore,
    private readonly links: LinksService,
    private readonly orgs: OrgDirectory,
    private readonly gate: WriteGate,
  ) {}

  /**
   * @throws {BucketNotFound} `bucket_not_found` @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {ObjectTooLarge} `object_too_large` @throws {InvalidKey} `invalid_key`
   * @throws {CreditsExhausted} `credits_exhausted` @throws {SpendCapReached} `spend_cap_reached`
   */
  async begin(call: Call, bucketId: string, input: BeginSignedUploadInput): Promise<SignedUpload> {
    const bucket = await this.buckets.get(call, bucketId, 'storage:write');
    // Its parts are refused for the same reasons. A caller need not send the first one to learn that.
    await this.gate.admit(bucket.orgId, input.sizeBytes);
    const { key, contentType, sizeBytes } = input;
    const upload = await this.multipart.begin(bucket, {
      ...{ key, contentType, sizeBytes, headers: {}, metadata: {}, checksumAlgorithm: null, checksumType: null },
    });
    return { upload, ...layoutOf(sizeBytes), uploaded: [] };
  }

  /** Signs a link for each of these parts. @throws as {@link find}. */
  async sign(call: Call, bucketId: string, uploadId: string, numbers: readonly number[]): Promise<SignedPart[]> {
    const { bucket, upload } = await this.locate(call, bucketId, uploadId);
    const plan = PLANS[(await this.orgs.planOf(bucket.orgId)) ?? 'free'];
    const limit = String(partBytesOf(plan.storage.objectGigabytes * GIGABYTE));
    const requests = numbers.map((number) => ({
      method: 'PUT',
      key: upload.key,
      query: { partNumber: String(number), uploadId, [MAX_BYTES_PARAMETER]: limit },
    }));
    // Pages of the web app may connect to their own origin only, which is that of the API.
    const links = await this.links.signAll(call, bucket, { at: 'api', expiresSeconds: LINK_SECONDS }, requests);
    return links.map((link, index) => ({ ...link, number: numbers[index]! }));
  }

  /** @throws as {@link begin}. @throws {ObjectUploadNotFound} `upload_not_found` */
  async find(call: Call, bucketId: string, uploadId: string): Promise<SignedUpload> {
    const { upload } = await this.locate(call, bucketId, uploadId);
    const layout = layoutOf(announcedSizeOf(upload));
    const uploaded = (await this.whole(upload)).map(({ number }) => number);
    return { upload, ...layout, uploaded };
  }

  /**
   * Makes an object of the parts, which together are as large as was announced. Asked again within seven days, it
   * answers with that object, as long as the object is there.
   *
   * @throws as {@link find}. @throws {InvalidPart} `invalid_part`: a part is not there as a whole.
   */
  async complete(
    call: Call,
    bucketId: string,
    uploadId: string,
  ): Promise<{ readonly bucket: Bucket; readonly object: StoredObject }> {
    const bucket = await this.buckets.get(call, bucketId, 'storage:write');
    const upload = await this.uploads.find(bucket.id, uploadId);
    if (upload === undefined) return { bucket, object: await this.completion.completedAs(bucket, uploadId) };
    const { parts: count } = layoutOf(announcedSizeOf(upload));
    const parts = await this.whole(upload);
    if (parts.length < count) throw new InvalidPart('missing', firstMissing(parts));
    const named = parts.map(({ number, etag }) => ({ number, etag }));
    return { bucket, object: await this.completion.complete(bucket, { uploadId, key: upload.key, parts: named }) };
  }

  /** @throws as {@link find}. */
  async abort(call: Call, bucketId: string, uploadId: string): Promise<void> {
    const { bucket } = await this.locate(call, bucketId, uploadId);
    await this.multipart.abort(bucket, uploadId);
  }

  /** Returns the parts that are there and have the size that the layout gives them, by number. */
  private async whole(upload: ObjectUpload): Promise<UploadPart[]> {
    const sizeBytes = announcedSizeOf(upload);
    const { partBytes, parts: count } = layoutOf(sizeBytes);
    const there = await this.multipart.parts(upload, 0, count);
    return there.filter(
      ({ number, size }) => number <= count && size === Math.min(partBytes, sizeBytes - (number - 1) * partBytes),
    );
  }

  private async locate(
    call: Call,
    bucketId: string,
    uploadId: string,
  ): Promise<{ readonly bucket: Bucket; readonly upload: ObjectUpload }> {
    const bucket = await this.buckets.get(call, bucketId, 'storage:write');
    const upload = await this.uploads.find(bucket.id, uploadId);
    if (upload === undefined) throw new ObjectUploadNotFound();
    return { bucket, upload };
  }
}

/** What a program for S3 began has parts of its own choice, which nobody else can continue. */
function announcedSizeOf({ sizeBytes }: ObjectUpload): number {
  if (sizeBytes === null) throw new ObjectUploadNotFound();
  return sizeBytes;
}

/** Returns the first number that none of these parts, which are sorted, has. */
function firstMissing(parts: readonly UploadPart[]): number {
  const gap = parts.findIndex(({ number }, index) => number !== index + 1);
  return gap === -1 ? parts.length + 1 : gap + 1;
}

const layoutOf = (sizeBytes: number): Pick<SignedUpload, 'partBytes' | 'parts'> => {
  const partBytes = partBytesOf(sizeBytes);
  return { partBytes, parts: Math.max(1, Math.ceil(sizeBytes / partBytes)) };
};

/** Parts are as small as their number allows, so that little is lost when one fails. */
const partBytesOf = (sizeBytes: number): number =>
  Math.max(MIN_PART_BYTES, Math.ceil(sizeBytes / MAX_PARTS / PART_STEP_BYTES) * PART_STEP_BYTES);
