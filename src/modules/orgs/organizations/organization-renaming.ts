import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import { OrganizationIsPersonal } from '../orgs.errors.js';
import type { Organization } from '../persistence/organization.entity.js';
import { OrganizationsStore } from '../persistence/organizations.store.js';
import { MemberEpochs } from './member-epochs.js';

export interface OrganizationNames {
  readonly name: string;
  readonly slug: string;
}

/** Changes the name and the slug of organizations, in the running transaction. */
@Injectable()
export class OrganizationRenaming {
  constructor(
    private readonly organizations: OrganizationsStore,
    private readonly epochs: MemberEpochs,
    private readonly clock: Clock,
  ) {}

  /**
   * @returns the new names, or undefined when nothing changes.
   * @throws {OrganizationIsPersonal} `personal_organization`: its slug is the username.
   * @throws {SlugTaken} `already_exists`
   */
  async rename(before: Organization, change: Partial<OrganizationNames>): Promise<OrganizationNames | undefined> {
    const { name = before.name, slug = before.slug } = change;
    if (before.personalOf !== null && slug !== before.slug) throw new OrganizationIsPersonal();
    if (name === before.name && slug === before.slug) return undefined;
    await this.organizations.update(before.id, { name, slug }, this.clock.now());
    await this.epochs.raise(before.id);
    return { name, slug };
  }
}
