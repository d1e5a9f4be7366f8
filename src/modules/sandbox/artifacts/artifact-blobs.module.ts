import { Module } from '@nestjs/common';
import { openBlobStorage } from '../../../platform/blobs/open-blob-storage.js';
import { Config } from '../../../platform/config/config.js';
import { Clock } from '../../../platform/time/clock.js';
import { SandboxSettings } from '../sandbox.settings.js';
import { ArtifactBlobs } from './artifact-blobs.js';

@Module({
  providers: [
    {
      provide: ArtifactBlobs,
      inject: [SandboxSettings, Config, Clock],
      useFactory: ({ artifactsPlace }: SandboxSettings, { blobCredentials }: Config, clock: Clock) =>
        openBlobStorage(artifactsPlace, blobCredentials, clock),
    },
  ],
  exports: [ArtifactBlobs],
})
export class ArtifactBlobsModule {}
