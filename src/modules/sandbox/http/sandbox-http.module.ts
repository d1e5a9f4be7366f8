import { Module } from '@nestjs/common';
import { ArtifactBlobsModule } from '../artifacts/artifact-blobs.module.js';
import { ArtifactReads } from '../artifacts/artifact-reads.js';
import { ExecutionsModule } from '../executions/executions.module.js';
import { SandboxPersistenceModule } from '../persistence/sandbox-persistence.module.js';
import { SandboxModule } from '../sandbox.module.js';
import { ArtifactsController } from './artifacts.controller.js';
import { ExecutionEventsController } from './execution-events.controller.js';
import { ExecutionEvents } from './execution-events.js';
import { ExecutionsController } from './executions.controller.js';
import { PackageSetsController } from './package-sets.controller.js';
import { SandboxLimitsController } from './sandbox-limits.controller.js';
import { SandboxController } from './sandbox.controller.js';

@Module({
  imports: [ArtifactBlobsModule, ExecutionsModule, SandboxModule, SandboxPersistenceModule],
  controllers: [
    ArtifactsController,
    SandboxController,
    SandboxLimitsController,
    PackageSetsController,
    ExecutionsController,
    ExecutionEventsController,
  ],
  providers: [ArtifactReads, ExecutionEvents],
})
export class SandboxHttpModule {}
