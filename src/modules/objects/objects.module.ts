import { Module } from '@nestjs/common';
import { openBlobStorage } from '../../platform/blobs/open-blob-storage.js';
import { Config } from '../../platform/config/config.js';
import { Clock } from '../../platform/time/clock.js';
import { CreditsModule } from '../credits/credits.module.js';
import { EventsModule } from '../events/events.module.js';
import { OrgDirectoryModule } from '../orgs/org-directory.module.js';
import { PlansModule } from '../plans/plans.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { AttachmentsModule } from './attachments/attachments.module.js';
import { BucketCreation } from './buckets/bucket-creation.js';
import { BucketHistory } from './buckets/bucket-history.js';
import { BucketsCounter } from './buckets/buckets-counter.js';
import { BucketsService } from './buckets/buckets.service.js';
import { OBJECT_METRICS, ObjectMetrics } from './metrics/object.metrics.js';
import { MultipartService } from './multipart/multipart.service.js';
import { UploadCompletion } from './multipart/upload-completion.js';
import { ObjectsSettings } from './objects.settings.js';
import { ObjectListsService } from './objects/object-lists.service.js';
import { ObjectsService } from './objects/objects.service.js';
import { OrgObjectsService } from './org-objects.service.js';
import { ObjectsPersistenceModule } from './persistence/objects-persistence.module.js';
import { ObjectReads } from './reads/object-reads.js';
import { RecentObjects } from './reads/recent-objects.js';
import { ObjectBlobs } from './writes/object-blobs.js';
import { ObjectWrites } from './writes/object-writes.js';
import { StorageFullNotices } from './writes/storage-full-notices.js';
import { WriteGate } from './writes/write-gate.js';
import { WriteLeases } from './writes/write-leases.js';

/** Buckets and objects: rows in PostgreSQL, and bytes in a storage of blobs. */
@Module({
  imports: [
    AttachmentsModule,
    CreditsModule,
    EventsModule,
    ObjectsPersistenceModule,
    OrgDirectoryModule,
    PlansModule,
    ProjectsModule,
  ],
  providers: [
    ...OBJECT_METRICS,
    {
      provide: ObjectBlobs,
      inject: [ObjectsSettings, Config, Clock],
      useFactory: ({ objectsPlace }: ObjectsSettings, { blobCredentials }: Config, clock: Clock) =>
        openBlobStorage(objectsPlace, blobCredentials, clock),
    },
    BucketCreation,
    BucketHistory,
    BucketsCounter,
    BucketsService,
    MultipartService,
    ObjectListsService,
    ObjectReads,
    ObjectsService,
    ObjectWrites,
    OrgObjectsService,
    RecentObjects,
    StorageFullNotices,
    UploadCompletion,
    WriteGate,
    WriteLeases,
  ],
  exports: [
    BucketsService,
    MultipartService,
    ObjectBlobs,
    ObjectListsService,
    ObjectMetrics,
    ObjectsService,
    ObjectWrites,
    OrgObjectsService,
    RecentObjects,
    UploadCompletion,
    WriteGate,
  ],
})
export class ObjectsModule {}
