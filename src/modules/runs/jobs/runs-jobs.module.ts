import { Module } from '@nestjs/common';
import { MailModule } from '../../../platform/mail/mail.module.js';
import { PartitionsModule } from '../../../platform/partitions/partitions.module.js';
import { CreditsModule } from '../../credits/credits.module.js';
import { OrgDirectoryModule } from '../../orgs/org-directory.module.js';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { EngineModule } from '../engine/engine.module.js';
import { RunsPersistenceModule } from '../persistence/runs-persistence.module.js';
import { RunsModule } from '../runs.module.js';
import { RunToolsModule } from '../tools/run-tools.module.js';
import { AgentDeletedProcessor } from './agent-deleted.processor.js';
import { AgentRunsTicker } from './agent-runs.ticker.js';
import { ApprovalMailSources } from './approval-mail-sources.js';
import { ApprovalMailProcessor } from './approval-mail.processor.js';
import { ExpiredApprovalsSweeper } from './expired-approvals.sweeper.js';
import { OldRunsSweeper } from './old-runs.sweeper.js';
import { RunEventPartitions } from './run-event-partitions.js';
import { RunsOrgDeletedProcessor } from './runs-org-deleted.processor.js';

@Module({
  imports: [
    ApprovalsModule,
    CreditsModule,
    EngineModule,
    MailModule,
    OrgDirectoryModule,
    PartitionsModule,
    RunToolsModule,
    RunsModule,
    RunsPersistenceModule,
  ],
  providers: [
    AgentDeletedProcessor,
    AgentRunsTicker,
    ApprovalMailProcessor,
    ApprovalMailSources,
    ExpiredApprovalsSweeper,
    OldRunsSweeper,
    RunEventPartitions,
    RunsOrgDeletedProcessor,
  ],
})
export class RunsJobsModule {}
