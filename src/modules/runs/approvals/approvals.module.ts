import { Module } from '@nestjs/common';
import { OrgDirectoryModule } from '../../orgs/org-directory.module.js';
import { VersionTools } from '../tools/version-tools.js';
import { AgentsModule } from '../../agents/agents.module.js';
import { RunsPersistenceModule } from '../persistence/runs-persistence.module.js';
import { RunsModule } from '../runs.module.js';
import { ApprovalDecisions } from './approval-decisions.js';
import { ApprovalEffects } from './approval-effects.js';
import { ApprovalStores } from './approval-stores.js';
import { ApprovalExpiry } from './approval-expiry.js';
import { ApprovalRequests } from './approval-requests.js';
import { ApprovalsReader } from './approvals-reader.js';

const PROVIDERS = [
  ApprovalDecisions,
  ApprovalEffects,
  ApprovalExpiry,
  ApprovalRequests,
  ApprovalsReader,
  ApprovalStores,
  VersionTools,
];

/** Approvals of calls of tools. */
@Module({
  imports: [AgentsModule, OrgDirectoryModule, RunsModule, RunsPersistenceModule],
  providers: PROVIDERS,
  exports: PROVIDERS,
})
export class ApprovalsModule {}
