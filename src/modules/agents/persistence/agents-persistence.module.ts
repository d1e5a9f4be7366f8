import { Module } from '@nestjs/common';
import { AgentPlanRoomStore } from './agent-plan-room.store.js';
import { AgentSecretsStore } from './agent-secrets.store.js';
import { AgentVersionsStore } from './agent-versions.store.js';
import { AgentsStore } from './agents.store.js';
import { LiveAgentsStore } from './live-agents.store.js';
import { MemoriesStore } from './memories.store.js';
import { MemoryBlocksStore } from './memory-blocks.store.js';

const STORES = [
  AgentPlanRoomStore,
  AgentSecretsStore,
  AgentVersionsStore,
  AgentsStore,
  LiveAgentsStore,
  MemoriesStore,
  MemoryBlocksStore,
];

@Module({ providers: STORES, exports: STORES })
export class AgentsPersistenceModule {}
