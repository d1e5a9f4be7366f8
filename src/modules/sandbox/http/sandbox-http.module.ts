import { Module } from '@nestjs/common';
import { ArtifactBlobsModule } from '../artifacts/artifact-blobs.module.js';
import { ArtifactReads } from '../artifacts/artifact-reads.js';
import { ExecutionsModule } from '../executions/executions.module.js';
import { SandboxPersistenceModule } from '../persistence/sandbox-persistence.module.js';
import { SandboxModule } from '../sandbox.module.js';
import { ArtifactsController } from './artifacts.controller.js';
import { SandboxSessionsModule } from '../sessions/sandbox-sessions.module.js';
import { ExecutionEventsController } from './execution-events.controller.js';
import { ExecutionEvents } from './execution-events.js';
import { ExecutionsController } from './executions.controller.js';
import { PackageSetsController } from './package-sets.controller.js';
import { SandboxLimitsController } from './sandbox-limits.controller.js';
import { SandboxSessionsController } from './sandbox-sessions.controller.js';
import { SandboxController } from './sandbox.controller.js';
import { SessionFileBodies } from './session-file-bodies.js';
import { SessionFilesController } from './session-files.controller.js';
import { SessionWorkAnswers } from './session-work-answers.js';
import { SessionWorkController } from './session-work.controller.js';

@Module({
  imports: [ArtifactBlobsModule, ExecutionsModule, SandboxModule, SandboxPersistenceModule, SandboxSessionsModule],
  controllers: [
    ArtifactsController,
    SandboxController,
    SandboxLimitsController,
    PackageSetsController,
    ExecutionsController,
    ExecutionEventsController,
    SandboxSessionsController,
    SessionWorkController,
    SessionFilesController,
  ],
  providers: [ArtifactReads, ExecutionEvents, SessionFileBodies, SessionWorkAnswers],
})
export class SandboxHttpModule {}
