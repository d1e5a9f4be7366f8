import { Module } from '@nestjs/common';
import { ArtifactBlobsModule } from './artifacts/artifact-blobs.module.js';
import { ArtifactReads } from './artifacts/artifact-reads.js';
import { ExecutionsModule } from './executions/executions.module.js';
import { OrgArtifactsService } from './org-artifacts.service.js';
import { OrgExecutionsService } from './org-executions.service.js';
import { SandboxPersistenceModule } from './persistence/sandbox-persistence.module.js';

/** Runs code for other modules, and reads the files that it kept. */
@Module({
  imports: [ArtifactBlobsModule, ExecutionsModule, SandboxPersistenceModule],
  providers: [ArtifactReads, OrgArtifactsService, OrgExecutionsService],
  exports: [OrgArtifactsService, OrgExecutionsService],
})
export class OrgExecutionsModule {}
