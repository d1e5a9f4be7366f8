import { Injectable } from '@nestjs/common';
import { opens } from '../access-keys/known-access-key.js';
import { isBucketName } from '../buckets/bucket-names.js';
import { ObjectNotFound } from '../objects.errors.js';
import type { BucketOfObject } from '../objects/objects.service.js';
import type { StoredObject } from '../persistence/bucket-rows.js';
import type { ObjectAddress } from '../persistence/object-lookups.store.js';
import { RecentObjects } from '../reads/recent-objects.js';
import type { S3Call } from './s3-call.js';
import { S3Error } from './s3-error.js';

/** Finds the object that a request reads or replaces, with its bucket, in one query that other requests share. */
@Injectable()
export class NamedObjects {
  constructor(private readonly objects: RecentObjects) {}

  /** @throws {S3Error} `NoSuchBucket` @throws {ObjectNotFound} `object_not_found` */
  async find(call: S3Call): Promise<StoredObject> {
    const { object } = await this.locate(call);
    if (object === undefined) throw new ObjectNotFound();
    return object;
  }

  /** Finds the bucket, and the object that has the key, if any. @throws {S3Error} `NoSuchBucket` */
  async locate(call: S3Call): Promise<{ readonly bucket: BucketOfObject; readonly object: StoredObject | undefined }> {
    const { accessKey, bucketName } = call;
    const { id: orgId } = accessKey.org;
    const located = isBucketName(bucketName) ? await this.objects.locate(addressOf(call)) : undefined;
    const bucket = located && { id: located.bucketId, orgId };
    // A bucket that the key does not open is as one that never was.
    if (bucket === undefined || !opens(accessKey, bucket)) throw new S3Error('NoSuchBucket');
    return { bucket, object: located?.object };
  }

  /** Returns the bytes of a small object that was found. @throws {BlobMissing} */
  bytesOf(call: S3Call, object: StoredObject): Promise<Buffer | undefined> {
    return this.objects.bytesOf(addressOf(call), object);
  }
}

const addressOf = ({ accessKey, bucketName, key }: S3Call): ObjectAddress => ({
  orgId: accessKey.org.id,
  bucketName,
  key,
});
