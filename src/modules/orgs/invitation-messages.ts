import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/time/clock.js';
import { SecretHasher } from '../auth/secret-hasher.js';
import { InvitationsStore } from './persistence/invitations.store.js';
import { OrganizationsStore } from './persistence/organizations.store.js';

/** The facts of an invitation message, with its token. */
export interface InvitationMessage {
  readonly email: string;
  readonly role: string;
  readonly organizationName: string;
  readonly invitedBy: string;
  /** The token is in the message and nowhere else. */
  readonly token: string;
}

/** Prepares the messages of invitations. A token is created together with its message, so that no queue holds one. */
@Injectable()
export class InvitationMessages {
  constructor(
    private readonly invitations: InvitationsStore,
    private readonly organizations: OrganizationsStore,
    private readonly hasher: SecretHasher,
    private readonly clock: Clock,
  ) {}

  /** Gives the invitation a new token, which replaces the earlier one. Returns undefined if it is no longer open. */
  async issue(invitationId: string): Promise<InvitationMessage | undefined> {
    const invitation = await this.invitations.findOpen(invitationId, this.clock.now());
    const organization = invitation && (await this.organizations.find(invitation.orgId));
    if (invitation === undefined || organization === undefined) return undefined;
    const token = this.hasher.createToken('inv');
    await this.invitations.setToken(invitationId, this.hasher.hash(token).hash);
    const { email, role, invitedBy } = invitation;
    return { email, role, organizationName: organization.name, invitedBy, token };
  }
}
