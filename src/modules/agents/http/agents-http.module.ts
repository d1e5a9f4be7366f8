import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents.module.js';
import { AgentMemoryController } from './agent-memory.controller.js';
import { AgentSecretsController } from './agent-secrets.controller.js';
import { AgentVersionsController } from './agent-versions.controller.js';
import { AgentsController } from './agents.controller.js';
import { ExportedAgents } from './exported-agents.js';

@Module({
  imports: [AgentsModule],
  controllers: [AgentsController, AgentVersionsController, AgentSecretsController, AgentMemoryController],
  providers: [ExportedAgents],
})
export class AgentsHttpModule {}
