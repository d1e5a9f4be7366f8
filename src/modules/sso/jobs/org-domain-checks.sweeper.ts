import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { inBatches } from '../../../platform/database/in-batches.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { OrgDomainChecks } from '../domains/org-domain-checks.js';
import type { OrgDomain } from '../domains/org-domain.js';
import { OrgDomainsStore } from '../persistence/org-domains.store.js';
import { orgDomainChecksSchedule } from './sso.job.js';

/** Name servers that do not answer take ten seconds, so this many at once and in a run keep it within minutes. */
const AT_ONCE = 10;
const BATCHES_IN_A_RUN = 20;

/** Checks domains whose week is over. */
@Injectable()
@Handles(orgDomainChecksSchedule)
export class OrgDomainChecksSweeper implements ScheduleHandler {
  constructor(
    private readonly domains: OrgDomainsStore,
    private readonly checks: OrgDomainChecks,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  async run(stopping: AbortSignal): Promise<void> {
    const checkBatch = async (limit: number): Promise<number> => {
      const due = await this.domains.due(this.clock.now(), limit);
      await Promise.all(due.map((domain) => this.check(domain)));
      return due.length;
    };
    await inBatches(checkBatch, { size: AT_ONCE, most: BATCHES_IN_A_RUN, stopping });
  }

  /** One domain that cannot be checked must not keep the others from it. */
  private async check(domain: OrgDomain): Promise<void> {
    try {
      await this.checks.check(domain, undefined);
    } catch (error) {
      this.log.error({ error, domainId: domain.id }, 'Could not check a domain of an organization.');
    }
  }
}
