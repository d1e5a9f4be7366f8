import { Module } from '@nestjs/common';
import { ClustersStore } from './clusters.store.js';
import { DatabaseAttachmentsStore } from './database-attachments.store.js';
import { DatabaseCredentialsStore } from './database-credentials.store.js';
import { DatabaseHostsStore } from './database-hosts.store.js';
import { DatabaseOperationsStore } from './database-operations.store.js';
import { DatabaseSizesStore } from './database-sizes.store.js';
import { DatabasesStore } from './databases.store.js';
import { PreviewBranchesStore } from './preview-branches.store.js';
import { WireAccessStore } from './wire-access.store.js';

const STORES = [
  ClustersStore,
  DatabaseAttachmentsStore,
  DatabaseCredentialsStore,
  DatabaseHostsStore,
  DatabaseOperationsStore,
  DatabaseSizesStore,
  DatabasesStore,
  PreviewBranchesStore,
  WireAccessStore,
];

@Module({ providers: STORES, exports: STORES })
export class DatabasesPersistenceModule {}
