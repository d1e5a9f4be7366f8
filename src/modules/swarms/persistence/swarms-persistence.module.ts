import { Module } from '@nestjs/common';
import { ChildRunsStore } from './child-runs.store.js';
import { SwarmRunsStore } from './swarm-runs.store.js';
import { SwarmTasksStore } from './swarm-tasks.store.js';
import { SwarmsStore } from './swarms.store.js';
import { TaskClaimsStore } from './task-claims.store.js';

const STORES = [ChildRunsStore, SwarmRunsStore, SwarmTasksStore, SwarmsStore, TaskClaimsStore];

@Module({ providers: STORES, exports: STORES })
export class SwarmsPersistenceModule {}
