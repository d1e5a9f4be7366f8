import { Module } from '@nestjs/common';
import { CreditsModule } from '../credits/credits.module.js';
import { OrgDirectoryModule } from '../orgs/org-directory.module.js';
import { PlansModule } from '../plans/plans.module.js';
import { AgentAccess } from './access/agent-access.js';
import { AgentSecretsService } from './agent-secrets.service.js';
import { AgentToolsModule } from './agent-tools.module.js';
import { AgentVersionsService } from './agent-versions.service.js';
import { AgentsService } from './agents.service.js';
import { DefinitionReader } from './domain/definition-reader.js';
import { ToolUses } from './domain/tool-uses.js';
import { JsonSchemas } from './json-schemas.js';
import { LiveAgentsService } from './live-agents.service.js';
import { MemoriesService } from './memories.service.js';
import { MemoryEditingService } from './memory/memory-editing.service.js';
import { AgentsPersistenceModule } from './persistence/agents-persistence.module.js';
import { AgentManagementService } from './registry/agent-management.service.js';
import { AgentPlanRoom } from './registry/agent-plan-room.js';
import { AgentRegistry } from './registry/agent-registry.js';
import { AgentRemoval } from './registry/agent-removal.js';
import { AgentVersioning } from './registry/agent-versioning.js';
import { AgentsCounter } from './registry/agents-counter.js';
import { AgentVault } from './secrets/agent-vault.js';
import { MemoryTools } from './tools/memory-tools.js';

/** Agents with their versions, secrets and memory. */
@Module({
  imports: [AgentToolsModule, AgentsPersistenceModule, CreditsModule, OrgDirectoryModule, PlansModule],
  providers: [
    AgentAccess,
    AgentManagementService,
    AgentPlanRoom,
    AgentRegistry,
    AgentRemoval,
    AgentSecretsService,
    AgentVault,
    AgentVersioning,
    AgentVersionsService,
    AgentsCounter,
    AgentsService,
    DefinitionReader,
    JsonSchemas,
    LiveAgentsService,
    MemoriesService,
    MemoryEditingService,
    MemoryTools,
    ToolUses,
  ],
  exports: [
    AgentSecretsService,
    AgentToolsModule,
    AgentVersionsService,
    AgentsService,
    JsonSchemas,
    LiveAgentsService,
    MemoriesService,
    // The routes and jobs of this module need these.
    AgentManagementService,
    AgentPlanRoom,
    AgentRemoval,
    AgentVault,
    MemoryEditingService,
  ],
})
export class AgentsModule {}
