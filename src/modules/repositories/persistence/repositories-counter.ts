import { Injectable } from '@nestjs/common';
import { PlanLimitCounters } from '../../plans/plan-limit-counters.js';
import { RepositoriesStore } from './repositories.store.js';

/** Counts the repositories that this service hosts for an organization, for the limit of its plan. */
@Injectable()
export class RepositoriesCounter {
  constructor(counters: PlanLimitCounters, repositories: RepositoriesStore) {
    counters.register('repositories', (orgId) => repositories.count(orgId));
  }
}
