import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import { Clock } from '../../../platform/time/clock.js';
import { SecretHasher } from '../../auth/secret-hasher.js';
import type { Invitation } from '../persistence/invitation.entity.js';
import { InvitationsStore } from '../persistence/invitations.store.js';
import { OrganizationsStore } from '../persistence/organizations.store.js';

/** Invitations that can still be accepted, and what closes them. */
@Injectable()
export class OpenInvitations {
  constructor(
    private readonly invitations: InvitationsStore,
    private readonly organizations: OrganizationsStore,
    private readonly hasher: SecretHasher,
    private readonly clock: Clock,
  ) {}

  /** Lists the open invitations of an organization, newest first. */
  page(orgId: string, page: PageRequest): Promise<Page<Invitation>> {
    return this.invitations.pageOfOpen(orgId, page, this.clock.now());
  }

  findByToken(token: string): Promise<Invitation | undefined> {
    return this.invitations.findOpenByToken(this.hasher.hashes(token), this.clock.now());
  }

  /**
   * Finds an open invitation of an organization after locking the organization, so that it stays open until the
   * transaction ends. It finds none if the organization was deleted.
   */
  lockAndFind(orgId: string, id: string): Promise<Invitation | undefined> {
    return this.lockAnd(orgId, () => this.invitations.findOpen(id, this.clock.now()));
  }

  /** {@link lockAndFind} by the token of the message. */
  lockAndFindByToken(orgId: string, token: string): Promise<Invitation | undefined> {
    return this.lockAnd(orgId, () => this.findByToken(token));
  }

  async markAccepted(id: string): Promise<void> {
    await this.invitations.markAccepted(id, this.clock.now());
  }

  async revoke(id: string): Promise<void> {
    await this.invitations.revoke(id, this.clock.now());
  }

  /** Revokes what a member has sent, because the member no longer has the role that it took. */
  async revokeSentBy(orgId: string, userId: string): Promise<void> {
    await this.invitations.revokeBy(orgId, userId, this.clock.now());
  }

  private async lockAnd(orgId: string, find: () => Promise<Invitation | undefined>): Promise<Invitation | undefined> {
    const organization = await this.organizations.lock(orgId);
    const invitation = organization && (await find());
    return invitation?.orgId === orgId ? invitation : undefined;
  }
}
