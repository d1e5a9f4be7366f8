import { Module } from '@nestjs/common';
import { OrgDirectoryModule } from '../../orgs/org-directory.module.js';
import { BackupsPersistenceModule } from '../persistence/backups-persistence.module.js';
import { BackupBlobsModule } from './backup-blobs.module.js';
import { ExpiredBackups } from './expired-backups.js';
import { RestorableFrom } from './restorable-from.js';

/** Deletes backups: in the worker those that are old, and on hosts those of removed databases. */
@Module({
  imports: [BackupBlobsModule, BackupsPersistenceModule, OrgDirectoryModule],
  providers: [ExpiredBackups, RestorableFrom],
  exports: [ExpiredBackups, RestorableFrom],
})
export class ExpiredBackupsModule {}
