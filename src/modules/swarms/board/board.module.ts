import { Module } from '@nestjs/common';
import { OrgDirectoryModule } from '../../orgs/org-directory.module.js';
import { SwarmsPersistenceModule } from '../persistence/swarms-persistence.module.js';
import { SwarmGate } from './swarm-gate.js';
import { SwarmTasksService } from './swarm-tasks.service.js';
import { TaskBoard } from './task-board.js';

/** The boards of tasks, which know nothing of agents and runs. */
@Module({
  imports: [OrgDirectoryModule, SwarmsPersistenceModule],
  providers: [SwarmGate, SwarmTasksService, TaskBoard],
  exports: [SwarmGate, SwarmTasksService, TaskBoard],
})
export class BoardModule {}
