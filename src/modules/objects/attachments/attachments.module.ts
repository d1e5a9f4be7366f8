import { Module } from '@nestjs/common';
import { AccessKeysModule } from '../access-keys/access-keys.module.js';
import { AttachmentEnds } from './attachment-ends.js';
import { AttachmentKeys } from './attachment-keys.js';
import { AttachmentsStore } from './persistence/attachments.store.js';

/** What attachments consist of. Buckets end theirs, so that it stands below them. */
@Module({
  imports: [AccessKeysModule],
  providers: [AttachmentEnds, AttachmentKeys, AttachmentsStore],
  exports: [AttachmentEnds, AttachmentKeys, AttachmentsStore],
})
export class AttachmentsModule {}
