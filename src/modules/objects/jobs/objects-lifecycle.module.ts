import { Module } from '@nestjs/common';
import { ReencryptionModule } from '../../../platform/secrets/reencryption.module.js';
import { AccessKeysModule } from '../access-keys/access-keys.module.js';
import { EncryptedAccessKeys } from '../access-keys/encrypted-access-keys.js';
import { ExpiredAccessKeysSweeper } from '../access-keys/expired-access-keys.sweeper.js';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { BucketOrgDeletedProcessor } from '../lifecycle/bucket-org-deleted.processor.js';
import { BucketProjectDeletedProcessor } from '../lifecycle/bucket-project-deleted.processor.js';
import { BucketRemoval } from '../lifecycle/bucket-removal.js';
import { ExpiredObjectsSweeper } from '../lifecycle/expired-objects.sweeper.js';
import { ObjectsModule } from '../objects.module.js';
import { ObjectsPersistenceModule } from '../persistence/objects-persistence.module.js';

/** Ends what has expired, and what belongs to deleted projects and organizations. */
@Module({
  imports: [AccessKeysModule, AttachmentsModule, ObjectsModule, ObjectsPersistenceModule, ReencryptionModule],
  providers: [
    BucketOrgDeletedProcessor,
    BucketProjectDeletedProcessor,
    BucketRemoval,
    EncryptedAccessKeys,
    ExpiredAccessKeysSweeper,
    ExpiredObjectsSweeper,
  ],
})
export class ObjectsLifecycleModule {}
