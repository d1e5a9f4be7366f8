import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { CreditsModule } from '../credits/credits.module.js';
import { EventsModule } from '../events/events.module.js';
import { OrgDirectoryModule } from '../orgs/org-directory.module.js';
import { RunsModule } from '../runs/runs.module.js';
import { BoardModule } from './board/board.module.js';
import { ChildStarts } from './children/child-starts.js';
import { StartAgentTool } from './children/start-agent-tool.js';
import { SwarmsPersistenceModule } from './persistence/swarms-persistence.module.js';
import { SwarmCreation } from './teams/swarm-creation.js';
import { SwarmEnds } from './teams/swarm-ends.js';
import { SwarmRunControl } from './teams/swarm-run-control.js';
import { SwarmRunObserver } from './teams/swarm-run-observer.js';
import { SwarmTurns } from './teams/swarm-turns.js';
import { SwarmsService } from './teams/swarms.service.js';
import { BoardMember } from './tools/board-member.js';
import { BoardTools } from './tools/board-tools.js';
import { CoordinatorTools } from './tools/coordinator-tools.js';
import { WorkerTools } from './tools/worker-tools.js';

/** Swarms of agents, and the boards of tasks that they share with workers outside of the service. */
@Module({
  imports: [
    AgentsModule,
    BoardModule,
    CreditsModule,
    EventsModule,
    OrgDirectoryModule,
    RunsModule,
    SwarmsPersistenceModule,
  ],
  providers: [
    BoardMember,
    BoardTools,
    ChildStarts,
    CoordinatorTools,
    StartAgentTool,
    SwarmCreation,
    SwarmEnds,
    SwarmRunControl,
    SwarmRunObserver,
    SwarmTurns,
    SwarmsService,
    WorkerTools,
  ],
  exports: [BoardModule, SwarmTurns, SwarmsService],
})
export class SwarmsModule {}
