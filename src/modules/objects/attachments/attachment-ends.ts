import { Injectable } from '@nestjs/common';
import { AttachmentKeys } from './attachment-keys.js';
import type { BucketAttachment } from './attachment-rows.js';
import { AttachmentsStore } from './persistence/attachments.store.js';

/** Ends attachments with their key pairs, in the running transaction: deploys that run cannot reach the bucket. */
@Injectable()
export class AttachmentEnds {
  constructor(
    private readonly attachments: AttachmentsStore,
    private readonly keys: AttachmentKeys,
  ) {}

  async end({ bucketId, projectId, accessKeyId }: BucketAttachment): Promise<void> {
    await this.attachments.delete(bucketId, projectId);
    await this.keys.end(accessKeyId);
  }

  async endOfBucket(bucketId: string): Promise<void> {
    for (const attachment of await this.attachments.ofBucket(bucketId)) await this.end(attachment);
  }

  async endOfProject(projectId: string): Promise<void> {
    for (const attachment of await this.attachments.ofProject(projectId)) await this.end(attachment);
  }
}
