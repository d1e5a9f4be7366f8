import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { etagOfParts } from '../checksums/combined.js';
import { ChecksumMismatch, ObjectContended, ObjectUploadNotFound } from '../objects.errors.js';
import { requireConditions, type WriteConditions } from '../objects/object-conditions.js';
import type { BucketOfObject } from '../objects/objects.service.js';
import type { ObjectUpload, StoredObject } from '../persistence/bucket-rows.js';
import { CompletedUploadsStore } from '../persistence/completed-uploads.store.js';
import { DoomedBlobsStore } from '../persistence/doomed-blobs.store.js';
import { ObjectsStore } from '../persistence/objects.store.js';
import { ObjectUploadsStore } from '../persistence/object-uploads.store.js';
import { ObjectWrites } from '../writes/object-writes.js';
import { WriteGate } from '../writes/write-gate.js';
import { checksumOfParts, chosenParts, type CompletedPart } from './completed-parts.js';
import { bytesOf, MAX_PARTS } from './multipart.service.js';

/** Writers of one key that change it at once each get a turn within so many attempts. */
const ATTEMPTS = 50;

export interface Completion {
  readonly uploadId: string;
  readonly key: string;
  readonly parts: readonly CompletedPart[];
  readonly conditions?: WriteConditions;
  /** The announced checksum of the object. */
  readonly checksum?: string | undefined;
}

/** Completes uploads: a row that lists the parts. No byte is copied. */
@Injectable()
export class UploadCompletion {
  constructor(
    private readonly database: Database,
    private readonly uploads: ObjectUploadsStore,
    private readonly completed: CompletedUploadsStore,
    private readonly objects: ObjectsStore,
    private readonly doomed: DoomedBlobsStore,
    private readonly writes: ObjectWrites,
    private readonly gate: WriteGate,
  ) {}

  /**
   * Makes an object of the parts, in place of the one that has the key, if any. Parts that are not named go. An upload
   * that was completed already answers the same for the same parts, as long as the object is there.
   *
   * @throws {ObjectUploadNotFound} `object_upload_not_found`
   * @throws {InvalidPart} `invalid_part`
   * @throws {ObjectTooLarge} `object_too_large`
   * @throws {ChecksumMismatch} `checksum_mismatch`
   * @throws {ObjectChanged} `object_changed`
   * @throws {CreditsExhausted} `credits_exhausted`
   * @throws {SpendCapReached} `spend_cap_reached`
   */
  async complete(bucket: BucketOfObject, completion: Completion): Promise<StoredObject> {
    const upload = await this.uploads.find(bucket.id, completion.uploadId);
    if (upload === undefined) return this.completedBefore(bucket, completion);
    if (upload.key !== completion.key) throw new ObjectUploadNotFound();
    const stored = await this.uploads.parts(upload.id, 0, MAX_PARTS);
    await this.gate.admit(bucket.orgId, bytesOf(chosenParts(completion.parts, stored)));
    return this.database.transaction(() => this.makeObject(bucket, upload, completion));
  }

  /**
   * Returns the object that an upload of the API has become, as long as it is there and the upload is remembered.
   *
   * @throws {ObjectUploadNotFound} `object_upload_not_found`
   */
  async completedAs({ id: bucketId }: BucketOfObject, uploadId: string): Promise<StoredObject> {
    const key = await this.completed.keyOf(bucketId, uploadId);
    const object = key === undefined ? undefined : await this.objects.find(bucketId, key);
    if (object?.revision !== uploadId) throw new ObjectUploadNotFound();
    return object;
  }

  private async makeObject(
    bucket: BucketOfObject,
    upload: ObjectUpload,
    { uploadId, key, parts: named, conditions = {}, checksum: announced }: Completion,
  ): Promise<StoredObject> {
    if ((await this.uploads.lock(bucket.id, uploadId)) === undefined) throw new ObjectUploadNotFound();
    const stored = await this.uploads.parts(uploadId, 0, MAX_PARTS);
    const parts = chosenParts(named, stored);
    const size = bytesOf(parts);
    const checksum = await checksumOfParts(upload, parts);
    if (announced !== undefined && announced !== checksum?.value)
      throw new ChecksumMismatch(upload.checksumAlgorithm ?? 'the checksum of the object');
    const { times } = this.writes;
    const { contentType, headers, metadata } = upload;
    const object: StoredObject = {
      ...{ bucketId: bucket.id, key, revision: uploadId, contentType, headers, metadata, size, checksum },
      etag: etagOfParts(parts.map(({ etag }) => etag)),
      parts: parts.flatMap(({ blob, size: bytes, etag }) => (blob === null ? [] : [[blob, bytes, etag] as const])),
      updatedAt: times.now,
    };
    const earlier = await this.replace(object, conditions);
    await this.uploads.delete(uploadId);
    // Programs for S3 name the key again, and the API does not.
    if (upload.sizeBytes !== null) await this.completed.insert(upload, times.now);
    const kept = new Set(object.parts.map(([blob]) => blob));
    const unused = stored.flatMap(({ blob }) => (blob === null || kept.has(blob) ? [] : [blob]));
    await this.doomed.add([...unused, ...(earlier?.parts.map(([blob]) => blob) ?? [])], times.dueAt);
    const bytes = size - bytesOf(stored) - (earlier?.size ?? 0);
    await this.uploads.account(bucket, { bytes, objects: earlier === undefined ? 1 : 0 }, times);
    return object;
  }

  private async replace(object: StoredObject, conditions: WriteConditions): Promise<StoredObject | undefined> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const earlier = await this.objects.lock(object.bucketId, object.key);
      requireConditions(conditions, earlier);
      if (await this.objects.write(object, earlier !== undefined)) return earlier;
    }
    throw new ObjectContended();
  }

  private async completedBefore(bucket: BucketOfObject, { uploadId, key, parts }: Completion): Promise<StoredObject> {
    const object = await this.objects.find(bucket.id, key);
    const isSame = object?.revision === uploadId && object.etag === etagOfParts(parts.map(({ etag }) => etag));
    if (!isSame) throw new ObjectUploadNotFound();
    return object;
  }
}
