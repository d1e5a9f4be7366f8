import { Module } from '@nestjs/common';
import { DatabaseBackupsStore } from './database-backups.store.js';
import { DueBackupsStore } from './due-backups.store.js';
import { WalArchivesStore } from './wal-archives.store.js';

const STORES = [DatabaseBackupsStore, DueBackupsStore, WalArchivesStore];

@Module({ providers: STORES, exports: STORES })
export class BackupsPersistenceModule {}
