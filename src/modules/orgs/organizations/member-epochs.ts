import { Injectable } from '@nestjs/common';
import { PersonDirectory } from '../../auth/person-directory.js';
import { MembershipsStore } from '../persistence/memberships.store.js';
import { OrgEpochs } from './org-epochs.js';

/** Announces changes that concern the members of an organization in all of their calls, such as a new slug. */
@Injectable()
export class MemberEpochs {
  constructor(
    private readonly epochs: OrgEpochs,
    private readonly memberships: MembershipsStore,
    private readonly people: PersonDirectory,
  ) {}

  /** Raises the epochs of the organization and of all its members in the running transaction. */
  async raise(orgId: string): Promise<void> {
    await this.epochs.raise(orgId);
    for (const userId of await this.memberships.userIds(orgId)) await this.people.raiseEpoch(userId);
  }
}
