import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { Clock } from '../../../platform/time/clock.js';
import { orgDeletedEvent } from '../org-deleted.job.js';
import { RoleTooLow } from '../orgs.errors.js';
import { InvitationsStore } from '../persistence/invitations.store.js';
import { MembershipsStore } from '../persistence/memberships.store.js';
import { OrganizationsStore } from '../persistence/organizations.store.js';
import { MemberEpochs } from './member-epochs.js';

/** Deletes organizations. The row stays for the audit log, and other modules learn of it from the event. */
@Injectable()
export class OrganizationRemoval {
  constructor(
    private readonly organizations: OrganizationsStore,
    private readonly memberships: MembershipsStore,
    private readonly invitations: InvitationsStore,
    private readonly epochs: MemberEpochs,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /** @throws {RoleTooLow} `insufficient_scopes`: only an owner can delete an organization. */
  async requireOwner(orgId: string, userId: string): Promise<void> {
    const role = (await this.memberships.find(orgId, userId))?.role;
    if (role !== 'owner') throw new RoleTooLow(role, 'owner');
  }

  /** Removes all members and open invitations in the running transaction, and frees the slug. */
  async remove(orgId: string): Promise<void> {
    const now = this.clock.now();
    await this.epochs.raise(orgId);
    await this.invitations.revokeAll(orgId, now);
    await this.memberships.removeAll(orgId);
    await this.organizations.markDeleted(orgId, now);
    await this.outbox.publish(orgDeletedEvent, { orgId });
  }
}
