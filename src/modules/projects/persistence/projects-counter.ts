import { Injectable } from '@nestjs/common';
import { PlanLimitCounters } from '../../plans/plan-limit-counters.js';
import { ProjectsStore } from './projects.store.js';

/** Counts an organization's projects for its plan. */
@Injectable()
export class ProjectsCounter {
  constructor(counters: PlanLimitCounters, projects: ProjectsStore) {
    counters.register('projects', (orgId) => projects.count(orgId));
  }
}
