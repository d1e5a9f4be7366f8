import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { UsageOwnersStore } from '../persistence/usage-owners.store.js';

const REMEMBERED = 100_000;

interface Owners {
  readonly hasOrg: (id: string) => boolean;
  /** Whether the project is one of the organization's. */
  readonly hasProject: (id: string, orgId: string) => boolean;
}

/** Knows organizations and projects: their rows stay, and a project stays with its organization. */
@Injectable()
export class UsageOwners {
  private readonly orgs = new LRUCache<string, true>({ max: REMEMBERED });
  private readonly projects = new LRUCache<string, string>({ max: REMEMBERED });

  constructor(private readonly store: UsageOwnersStore) {}

  async find(orgIds: ReadonlySet<string>, projectIds: ReadonlySet<string>): Promise<Owners> {
    const newOrgs = [...orgIds].filter((id) => !this.orgs.has(id));
    const newProjects = [...projectIds].filter((id) => !this.projects.has(id));
    if (newOrgs.length > 0) for (const id of await this.store.organizations(newOrgs)) this.orgs.set(id, true);
    if (newProjects.length > 0)
      for (const { id, org_id } of await this.store.projects(newProjects)) this.projects.set(id, org_id);
    return { hasOrg: (id) => this.orgs.has(id), hasProject: (id, orgId) => this.projects.get(id) === orgId };
  }
}
