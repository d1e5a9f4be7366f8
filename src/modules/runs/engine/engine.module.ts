import { Module } from '@nestjs/common';
import { AgentsModule } from '../../agents/agents.module.js';
import { ModelAnswersModule } from '../../ai/model-answers.module.js';
import { RunPrincipalsModule } from '../../auth/run-principals.module.js';
import { EventsModule } from '../../events/events.module.js';
import { FeaturesModule } from '../../features/features.module.js';
import { OrgDirectoryModule } from '../../orgs/org-directory.module.js';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { RunDeltasModule } from '../events/run-deltas.module.js';
import { RUN_GAUGES } from '../metrics/runs.metrics.js';
import { RunsPersistenceModule } from '../persistence/runs-persistence.module.js';
import { RunsModule } from '../runs.module.js';
import { ToolCallAdmission } from './tool-call-admission.js';
import { CallProposals } from './call-proposals.js';
import { CallRecorder } from './call-recorder.js';
import { ConversationReader } from './conversation-reader.js';
import { RunOpening } from './opening.js';
import { RunAccess } from './run-access.js';
import { RunClaims } from './run-claims.js';
import { RunConclusions } from './run-conclusions.js';
import { RunDriver } from './run-driver.js';
import { RunLeases } from './run-leases.js';
import { RunWorkerHost } from './run-worker-host.js';
import { RunWorkerService } from './run-worker.service.js';
import { StepAsking } from './step-asking.js';
import { StepBegins } from './step-begins.js';
import { StepRecorder } from './step-recorder.js';
import { ToolCallsOfRun } from './tool-calls.js';
import { ToolExecution } from './tool-execution.js';

/** Drives runs in workers. */
@Module({
  imports: [
    AgentsModule,
    ApprovalsModule,
    EventsModule,
    FeaturesModule,
    ModelAnswersModule,
    OrgDirectoryModule,
    RunDeltasModule,
    RunPrincipalsModule,
    RunsModule,
    RunsPersistenceModule,
  ],
  providers: [
    ToolCallAdmission,
    CallProposals,
    CallRecorder,
    ConversationReader,
    RunAccess,
    RunClaims,
    RunConclusions,
    RunDriver,
    RunLeases,
    RunOpening,
    RunWorkerHost,
    RunWorkerService,
    StepAsking,
    StepBegins,
    StepRecorder,
    ToolCallsOfRun,
    ToolExecution,
    ...RUN_GAUGES,
  ],
  exports: [RunWorkerService],
})
export class EngineModule {}
