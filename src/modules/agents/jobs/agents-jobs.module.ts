import { Module } from '@nestjs/common';
import { ReencryptionModule } from '../../../platform/secrets/reencryption.module.js';
import { AgentsModule } from '../agents.module.js';
import { AgentsPersistenceModule } from '../persistence/agents-persistence.module.js';
import { AgentOrgDeletedProcessor } from './agent-org-deleted.processor.js';
import { AgentsBeyondPlanSweeper } from './agents-beyond-plan.sweeper.js';
import { EncryptedAgentSecrets } from './encrypted-agent-secrets.js';

@Module({
  imports: [AgentsModule, AgentsPersistenceModule, ReencryptionModule],
  providers: [AgentOrgDeletedProcessor, AgentsBeyondPlanSweeper, EncryptedAgentSecrets],
})
export class AgentsJobsModule {}
