import { Module } from '@nestjs/common';
import { openBlobStorage } from '../../../platform/blobs/open-blob-storage.js';
import { Config } from '../../../platform/config/config.js';
import { Clock } from '../../../platform/time/clock.js';
import { DatabasesSettings } from '../databases.settings.js';
import { BackupBlobs } from './backup-blobs.js';

@Module({
  providers: [
    {
      provide: BackupBlobs,
      inject: [DatabasesSettings, Config, Clock],
      useFactory: ({ backupsPlace }: DatabasesSettings, { blobCredentials }: Config, clock: Clock) =>
        openBlobStorage(backupsPlace, blobCredentials, clock),
    },
  ],
  exports: [BackupBlobs],
})
export class BackupBlobsModule {}
