import { Injectable } from '@nestjs/common';
import { growingCache } from '../../../platform/caches/growing-cache.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { ProjectOwners } from '../project-owners.js';

const REMEMBERED = 100_000;

interface Owners {
  readonly hasOrg: (id: string) => boolean;
  /** True when the project belongs to the organization. */
  readonly hasProject: (id: string, orgId: string) => boolean;
}

/** Caches organizations and projects. Their rows stay after deletion, and a project never changes its owner. */
@Injectable()
export class UsageOwners {
  private readonly orgs = growingCache<true>(REMEMBERED);
  private readonly projects = growingCache<string>(REMEMBERED);

  constructor(
    private readonly directory: OrgDirectory,
    private readonly owners: ProjectOwners,
  ) {}

  async find(orgIds: ReadonlySet<string>, projectIds: ReadonlySet<string>): Promise<Owners> {
    const newOrgs = [...orgIds].filter((id) => !this.orgs.has(id));
    const newProjects = [...projectIds].filter((id) => !this.projects.has(id));
    if (newOrgs.length > 0) for (const id of await this.directory.knownOf(newOrgs)) this.orgs.set(id, true);
    if (newProjects.length > 0)
      for (const [id, orgId] of await this.owners.ownersOf(newProjects)) this.projects.set(id, orgId);
    return { hasOrg: (id) => this.orgs.has(id), hasProject: (id, orgId) => this.projects.get(id) === orgId };
  }
}
