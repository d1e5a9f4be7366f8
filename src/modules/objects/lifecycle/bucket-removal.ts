import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import { AccessKeyRemoval } from '../access-keys/access-key-removal.js';
import { AttachmentEnds } from '../attachments/attachment-ends.js';
import { MultipartService } from '../multipart/multipart.service.js';
import { ObjectsService } from '../objects/objects.service.js';
import type { Bucket } from '../persistence/bucket-rows.js';
import { BucketsStore } from '../persistence/buckets.store.js';

const AT_ONCE = 500;
/** Every object was written before it. */
const END_OF_TIME = new Date('9999-01-01T00:00:00Z');

/** Removes what is left of deleted organizations and projects. It can be repeated. */
@Injectable()
export class BucketRemoval {
  constructor(
    private readonly database: Database,
    private readonly buckets: BucketsStore,
    private readonly objects: ObjectsService,
    private readonly multipart: MultipartService,
    private readonly keys: AccessKeyRemoval,
    private readonly attachments: AttachmentEnds,
    private readonly clock: Clock,
  ) {}

  /** Keys end first, so that nothing is written meanwhile. */
  async removeOfOrg(orgId: string): Promise<void> {
    const buckets = await this.buckets.all(orgId);
    await this.database.transaction(async () => {
      for (const { id } of buckets) await this.attachments.endOfBucket(id);
      await this.keys.removeOfOrg(orgId);
    });
    for (const bucket of buckets) await this.remove(bucket);
  }

  leaveProject(projectId: string): Promise<void> {
    return this.database.transaction(async () => {
      await this.attachments.endOfProject(projectId);
      await this.buckets.leaveProject(projectId);
    });
  }

  private async remove(bucket: Bucket): Promise<void> {
    while ((await this.objects.deleteOlderThan(bucket, END_OF_TIME, AT_ONCE)).length > 0);
    for (;;) {
      const uploads = await this.multipart.list(bucket, '', undefined, AT_ONCE);
      if (uploads.length === 0) break;
      for (const { id } of uploads) await this.multipart.abort(bucket, id);
    }
    const isGone = await this.database.transaction(() => this.buckets.deleteEmpty(bucket.id, this.clock.now()));
    if (!isGone) throw new Error(`Something was written to ${bucket.id} while it was deleted. The job is tried again.`);
  }
}
