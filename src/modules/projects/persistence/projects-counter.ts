import { Injectable } from '@nestjs/common';
import { PlanLimitCounters } from '../../plans/plan-limit-counters.js';
import { ProjectsStore } from './projects.store.js';

/** Counts the projects of an organization for the limit of its plan. */
@Injectable()
export class ProjectsCounter {
  constructor(counters: PlanLimitCounters, projects: ProjectsStore) {
    counters.register('projects', (orgId) => projects.count(orgId));
  }
}
