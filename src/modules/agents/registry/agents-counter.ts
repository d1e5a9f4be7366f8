import { Injectable } from '@nestjs/common';
import { PlanLimitCounters } from '../../plans/plan-limit-counters.js';
import { AgentsStore } from '../persistence/agents.store.js';

/** Counts the agents of an organization for the limit of its plan. */
@Injectable()
export class AgentsCounter {
  constructor(counters: PlanLimitCounters, agents: AgentsStore) {
    counters.register('agents', (orgId) => agents.count(orgId));
  }
}
