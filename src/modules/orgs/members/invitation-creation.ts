import { Injectable } from '@nestjs/common';
import { Ids } from '../../../platform/ids/ids.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { Clock } from '../../../platform/time/clock.js';
import { authMailJob } from '../../auth/auth-mail.job.js';
import type { OrgRole } from '../../auth/org-role.js';
import { PersonDirectory } from '../../auth/person-directory.js';
import { AlreadyMember } from '../orgs.errors.js';
import { INVITATION_ID } from '../orgs.ids.js';
import { Invitation } from '../persistence/invitation.entity.js';
import { InvitationsStore } from '../persistence/invitations.store.js';
import { MembershipsStore } from '../persistence/memberships.store.js';

export interface InviteInput {
  readonly email: string;
  readonly role: OrgRole;
}

/** Creates invitations and sends their messages, in the running transaction. */
@Injectable()
export class InvitationCreation {
  constructor(
    private readonly invitations: InvitationsStore,
    private readonly memberships: MembershipsStore,
    private readonly people: PersonDirectory,
    private readonly outbox: Outbox,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Replaces an open invitation to the same address.
   *
   * @throws {AlreadyMember} `already_exists`
   */
  async create(orgId: string, { email, role }: InviteInput, invitedBy: string): Promise<Invitation> {
    const invitee = await this.people.findIdByEmail(email);
    if (invitee !== undefined && (await this.memberships.find(orgId, invitee)) !== undefined) throw new AlreadyMember();

    const now = this.clock.now();
    await this.invitations.revokeFor(orgId, email, now);
    const invitation = Invitation.opened(
      { orgId, email, role, invitedBy },
      { id: this.ids.next(INVITATION_ID), at: now },
    );
    await this.invitations.insert(invitation);
    await this.outbox.enqueue(authMailJob, { kind: 'invitation', subjectId: invitation.id });
    return invitation;
  }
}
