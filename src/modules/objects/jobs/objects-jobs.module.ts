import { Module } from '@nestjs/common';
import { MeteringModule } from '../../metering/metering.module.js';
import { SCRUB_METRICS } from '../metrics/scrub.metrics.js';
import { ObjectsModule } from '../objects.module.js';
import { ObjectsPersistenceModule } from '../persistence/objects-persistence.module.js';
import { BucketStorageSource } from '../usage/bucket-storage-source.js';
import { BlobScrubSweeper } from './blob-scrub.sweeper.js';
import { DoomedBlobsSweeper } from './doomed-blobs.sweeper.js';
import { ExpiredObjectUploadsSweeper } from './expired-object-uploads.sweeper.js';
import { StorageReservationsSweeper } from './storage-reservations.sweeper.js';

/** Removes what no row names any more, and measures what buckets keep. */
@Module({
  imports: [MeteringModule, ObjectsModule, ObjectsPersistenceModule],
  providers: [
    ...SCRUB_METRICS,
    BlobScrubSweeper,
    BucketStorageSource,
    DoomedBlobsSweeper,
    ExpiredObjectUploadsSweeper,
    StorageReservationsSweeper,
  ],
})
export class ObjectsJobsModule {}
