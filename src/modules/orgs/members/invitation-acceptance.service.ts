import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import { EmailTokenInvalid } from '../../auth/auth.errors.js';
import type { Call } from '../../auth/caller.js';
import { PersonDirectory } from '../../auth/person-directory.js';
import { tokenKindOf } from '../../auth/token-format.js';
import { OrganizationNotFound } from '../orgs.errors.js';
import { MembershipsStore } from '../persistence/memberships.store.js';
import { OrganizationsStore, type OwnOrganization } from '../persistence/organizations.store.js';
import { OpenInvitations } from './open-invitations.js';

@Injectable()
export class InvitationAcceptanceService {
  constructor(
    private readonly database: Database,
    private readonly invitations: OpenInvitations,
    private readonly organizations: OrganizationsStore,
    private readonly memberships: MembershipsStore,
    private readonly people: PersonDirectory,
    private readonly audit: AuditLogService,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes the caller a member. The token comes from a message to the caller's own address, so it also verifies the
   * address.
   *
   * @throws {EmailTokenInvalid} `invalid_email_token`, also when the message was sent to another address.
   * @throws {AlreadyMember} `already_exists`
   */
  async accept(token: string, call: Call): Promise<OwnOrganization> {
    if (tokenKindOf(token) !== 'inv') throw new EmailTokenInvalid();
    const { user } = call.principal;
    return this.database.transaction(async () => {
      const found = await this.invitations.findByToken(token);
      if (found?.email.toLowerCase() !== user.email.toLowerCase()) throw new EmailTokenInvalid();
      const invitation = await this.invitations.lockAndFindByToken(found.orgId, token);
      if (invitation === undefined) throw new EmailTokenInvalid();

      const { id, orgId, role } = invitation;
      await this.memberships.insert({ orgId, userId: user.id, role, createdAt: this.clock.now() });
      await this.invitations.markAccepted(id);
      await this.people.markVerified(user.id, user.email);
      await this.people.raiseEpoch(user.id);
      await this.audit.record(
        { orgId, action: 'member.joined', target: { type: 'user', id: user.id }, details: { role, invitation_id: id } },
        call,
      );
      return this.getOf(user.id, orgId);
    });
  }

  private async getOf(userId: string, orgId: string): Promise<OwnOrganization> {
    const organization = await this.organizations.findOf(userId, orgId);
    if (organization === undefined) throw new OrganizationNotFound();
    return organization;
  }
}
