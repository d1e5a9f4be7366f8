import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { ProjectsService } from '../../projects/projects.service.js';
import { DomainChecks } from '../claims/domain-checks.js';
import { DomainsService } from '../claims/domains.service.js';
import type { Domain } from '../persistence/domain.entity.js';
import { DomainsStore } from '../persistence/domains.store.js';
import { domainChecksSchedule } from './domains.job.js';

/** Name servers that do not answer take ten seconds, so this many at once keep a run within minutes. */
const AT_ONCE = 10;
const MOST_IN_A_RUN = 200;

/** Checks domains whose time has come, and removes those of projects whose deletion went unnoticed. */
@Injectable()
@Handles(domainChecksSchedule)
export class DomainChecksSweeper implements ScheduleHandler {
  constructor(
    private readonly store: DomainsStore,
    private readonly domains: DomainsService,
    private readonly checks: DomainChecks,
    private readonly projects: ProjectsService,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  async run(stopping: AbortSignal): Promise<void> {
    const due = await this.store.due(this.clock.now(), MOST_IN_A_RUN);
    const deleted = await this.projects.findDeletedIds([...new Set(due.map(({ projectId }) => projectId))]);
    for (const projectId of deleted) await this.domains.removeProject(projectId);
    const left = due.filter(({ projectId }) => !deleted.includes(projectId));
    for (let start = 0; start < left.length && !stopping.aborted; start += AT_ONCE)
      await Promise.all(left.slice(start, start + AT_ONCE).map((domain) => this.check(domain)));
  }

  /** One domain that cannot be checked must not keep the others from it. */
  private async check(domain: Domain): Promise<void> {
    try {
      await this.checks.check(domain, undefined);
    } catch (error) {
      this.log.error({ error, domainId: domain.id }, 'Could not check a domain.');
    }
  }
}
