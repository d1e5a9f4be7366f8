import { Module } from '@nestjs/common';
import { BucketSamplesStore } from './bucket-samples.store.js';
import { BucketsStore } from './buckets.store.js';
import { CompletedUploadsStore } from './completed-uploads.store.js';
import { DoomedBlobsStore } from './doomed-blobs.store.js';
import { ObjectListsStore } from './object-lists.store.js';
import { ObjectLookupsStore } from './object-lookups.store.js';
import { ObjectsStore } from './objects.store.js';
import { ReservationsStore } from './reservations.store.js';
import { ScrubStore } from './scrub.store.js';
import { ObjectUploadsStore } from './object-uploads.store.js';

const STORES = [
  BucketSamplesStore,
  BucketsStore,
  CompletedUploadsStore,
  DoomedBlobsStore,
  ObjectListsStore,
  ObjectLookupsStore,
  ObjectsStore,
  ReservationsStore,
  ScrubStore,
  ObjectUploadsStore,
];

@Module({ providers: STORES, exports: STORES })
export class ObjectsPersistenceModule {}
