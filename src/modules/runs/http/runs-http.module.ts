import { Module } from '@nestjs/common';
import { AgentsModule } from '../../agents/agents.module.js';
import { CreditsModule } from '../../credits/credits.module.js';
import { FeaturesModule } from '../../features/features.module.js';
import { OrgDirectoryModule } from '../../orgs/org-directory.module.js';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { RunDeltasModule } from '../events/run-deltas.module.js';
import { RunFollower } from '../events/run-follower.js';
import { RunsPersistenceModule } from '../persistence/runs-persistence.module.js';
import { RunBudgets } from '../requests/run-budgets.js';
import { RunMessages } from '../requests/run-messages.js';
import { RunStarts } from '../requests/run-starts.js';
import { RunStepsReader } from '../requests/run-steps.js';
import { RunsService } from '../requests/runs.service.js';
import { RunsModule } from '../runs.module.js';
import { RunToolsModule } from '../tools/run-tools.module.js';
import { ApprovalsController } from './approvals.controller.js';
import { ExportedRuns } from './exported-runs.js';
import { McpToolsController } from './mcp-tools.controller.js';
import { RunEventsController } from './run-events.controller.js';
import { RunsController } from './runs.controller.js';

@Module({
  imports: [
    AgentsModule,
    ApprovalsModule,
    CreditsModule,
    FeaturesModule,
    OrgDirectoryModule,
    RunDeltasModule,
    RunToolsModule,
    RunsModule,
    RunsPersistenceModule,
  ],
  controllers: [ApprovalsController, McpToolsController, RunEventsController, RunsController],
  providers: [ExportedRuns, RunBudgets, RunFollower, RunMessages, RunStarts, RunStepsReader, RunsService],
})
export class RunsHttpModule {}
