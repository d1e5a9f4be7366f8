import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { violatedReferenceOf } from '../../../platform/database/violated-constraint.js';
import { Ids } from '../../../platform/ids/ids.js';
import { requireObjectKey } from '../domain/object-keys.js';
import { BucketNotFound, ObjectContended, ObjectUploadNotFound } from '../objects.errors.js';
import { OBJECT_UPLOAD_ID } from '../objects.ids.js';
import type { BucketOfObject } from '../objects/objects.service.js';
import type { ObjectUpload, UploadPart } from '../persistence/bucket-rows.js';
import { DoomedBlobsStore } from '../persistence/doomed-blobs.store.js';
import { type UploadMark, ObjectUploadsStore } from '../persistence/object-uploads.store.js';
import type { ObjectBody } from '../writes/object-body.js';
import { ObjectWrites, type WrittenBytes } from '../writes/object-writes.js';

const ATTEMPTS = 50;
export const MAX_PARTS = 10_000;

export type BeginUploadInput = Omit<ObjectUpload, 'id' | 'bucketId' | 'createdAt'>;

/** Uploads in parts. What completes them is a service of its own. */
@Injectable()
export class MultipartService {
  constructor(
    private readonly database: Database,
    private readonly uploads: ObjectUploadsStore,
    private readonly doomed: DoomedBlobsStore,
    private readonly writes: ObjectWrites,
    private readonly ids: Ids,
  ) {}

  /** @throws {InvalidKey} `invalid_key` @throws {BucketNotFound} `bucket_not_found` */
  async begin({ id: bucketId }: BucketOfObject, input: BeginUploadInput): Promise<ObjectUpload> {
    requireObjectKey(input.key);
    const upload = { ...input, id: this.ids.next(OBJECT_UPLOAD_ID), bucketId, createdAt: this.writes.times.now };
    try {
      await this.uploads.insert(upload);
    } catch (error) {
      throw violatedReferenceOf(error) === 'object_uploads_bucket' ? new BucketNotFound() : error;
    }
    return upload;
  }

  /** @throws {ObjectUploadNotFound} `object_upload_not_found`: it is over, or of another key or bucket. */
  async get({ id: bucketId }: BucketOfObject, key: string, id: string): Promise<ObjectUpload> {
    const upload = await this.uploads.find(bucketId, id);
    if (upload?.key !== key) throw new ObjectUploadNotFound();
    return upload;
  }

  /**
   * Stores a part in place of the one that has the number, if any.
   *
   * @throws {ObjectUploadNotFound} `object_upload_not_found`: it was completed or aborted meanwhile.
   * @throws as {@link ObjectWrites.write}.
   */
  putPart(bucket: BucketOfObject, upload: ObjectUpload, number: number, body: ObjectBody): Promise<UploadPart> {
    return this.writes.write(bucket, body, (written) => this.keep(upload, number, written));
  }

  /** Returns up to `limit` parts behind a number. */
  parts({ id }: ObjectUpload, after: number, limit: number): Promise<UploadPart[]> {
    return this.uploads.parts(id, after, limit);
  }

  /** Returns up to `limit` uploads that are not over, by key and then by age. */
  list({ id }: BucketOfObject, prefix: string, after: UploadMark | undefined, limit: number): Promise<ObjectUpload[]> {
    return this.uploads.list(id, prefix, after, limit);
  }

  /** Gives up an upload and its parts. @throws {ObjectUploadNotFound} `object_upload_not_found` */
  abort(bucket: BucketOfObject, id: string): Promise<void> {
    return this.database.transaction(async () => {
      const upload = await this.uploads.lock(bucket.id, id);
      if (upload === undefined) throw new ObjectUploadNotFound();
      const parts = await this.uploads.parts(id, 0, MAX_PARTS);
      const { times } = this.writes;
      await this.uploads.delete(id);
      await this.doomed.add(
        parts.flatMap(({ blob }) => blob ?? []),
        times.dueAt,
      );
      await this.uploads.account(bucket, { bytes: -bytesOf(parts), objects: 0 }, times);
    });
  }

  private async keep(upload: ObjectUpload, number: number, written: WrittenBytes): Promise<UploadPart> {
    const { reservation, size, md5: etag, checksum, parts } = written;
    const { times } = this.writes;
    const part: UploadPart = {
      ...{ uploadId: upload.id, number, revision: reservation.id, size, etag, checksum },
      blob: parts[0]?.[0] ?? null,
      updatedAt: times.now,
    };
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const earlier = await this.uploads.part(upload.id, number);
      if (await this.uploads.storePart(reservation, part, earlier, times.dueAt)) return part;
      if ((await this.uploads.find(upload.bucketId, upload.id)) === undefined) throw new ObjectUploadNotFound();
    }
    throw new ObjectContended();
  }
}

export const bytesOf = (parts: readonly Pick<UploadPart, 'size'>[]): number =>
  parts.reduce((sum, { size }) => sum + size, 0);
