import { Module } from '@nestjs/common';
import { AccessKeysModule } from '../access-keys/access-keys.module.js';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { BucketAttachmentsService } from '../attachments/bucket-attachments.service.js';
import { LinkKeys } from '../links/link-keys.js';
import { LinksService } from '../links/links.service.js';
import { SignedUploadsService } from '../links/signed-uploads.service.js';
import { OrgDirectoryModule } from '../../orgs/org-directory.module.js';
import { ProjectsModule } from '../../projects/projects.module.js';
import { ObjectAccessModule } from '../object-access.module.js';
import { ObjectsModule } from '../objects.module.js';
import { ObjectsPersistenceModule } from '../persistence/objects-persistence.module.js';
import { StorageDomain } from '../serving/storage-domain.js';
import { StorageUsageService } from '../usage/storage-usage.service.js';
import { AccessKeysController } from './access-keys.controller.js';
import { BucketAttachmentsController } from './bucket-attachments.controller.js';
import { BucketsController } from './buckets.controller.js';
import { ExportedBuckets } from './exported-buckets.js';
import { LinksController } from './links.controller.js';
import { ObjectAnswers } from './object-answers.js';
import { ObjectRequestsService } from './object-requests.service.js';
import { ObjectsController } from './objects.controller.js';
import { SignedUploadsController } from './signed-uploads.controller.js';

/** The JSON API of object storage. */
@Module({
  imports: [
    AccessKeysModule,
    AttachmentsModule,
    ObjectAccessModule,
    ObjectsModule,
    ObjectsPersistenceModule,
    OrgDirectoryModule,
    ProjectsModule,
  ],
  providers: [
    BucketAttachmentsService,
    ExportedBuckets,
    LinkKeys,
    LinksService,
    ObjectAnswers,
    ObjectRequestsService,
    SignedUploadsService,
    StorageDomain,
    StorageUsageService,
  ],
  controllers: [
    AccessKeysController,
    BucketsController,
    LinksController,
    SignedUploadsController,
    BucketAttachmentsController,
    ObjectsController,
  ],
})
export class ObjectsHttpModule {}
