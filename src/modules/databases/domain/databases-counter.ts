import { Injectable } from '@nestjs/common';
import { PlanLimitCounters } from '../../plans/plan-limit-counters.js';
import { DatabasesStore } from '../persistence/databases.store.js';

/** Counts the databases of an organization for the limit of its plan. */
@Injectable()
export class DatabasesCounter {
  constructor(counters: PlanLimitCounters, databases: DatabasesStore) {
    counters.register('databases', (orgId) => databases.count(orgId));
  }
}
