import { Injectable } from '@nestjs/common';
import { StoredBytes } from '../../hosting/stored-bytes.service.js';
import { ProjectsService } from '../../projects/projects.service.js';
import { RepositoriesService } from '../../repositories/repositories.service.js';
import { type Excess, PlanTooSmall } from '../billing.errors.js';
import { type Plan, storedBytesOf } from '../../plans/plan.js';

/** Compares what an organization has with what a plan holds. The caller has locked the organization, so that it stays so. */
@Injectable()
export class PlanRoom {
  constructor(
    private readonly projects: ProjectsService,
    private readonly repositories: RepositoriesService,
    private readonly stored: StoredBytes,
  ) {}

  /** @throws {PlanTooSmall} `plan_too_small` */
  async require(plan: Plan, orgId: string): Promise<void> {
    const uses: { limit: Excess['limit']; allowed: number | null; used: number }[] = [
      { limit: 'projects', allowed: plan.limits.projects, used: await this.projects.count(orgId) },
      { limit: 'repositories', allowed: plan.repositories, used: await this.repositories.count(orgId) },
      { limit: 'bytes_in_deploys', allowed: storedBytesOf(plan), used: await this.stored.of(orgId) },
    ];
    const over = uses.filter((use): use is Excess => use.allowed !== null && use.used > use.allowed);
    if (over.length > 0) throw new PlanTooSmall(plan, over);
  }
}
