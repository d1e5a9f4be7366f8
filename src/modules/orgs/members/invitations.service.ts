import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import { type AttemptRule, AttemptsService } from '../../auth/attempts.service.js';
import type { Call } from '../../auth/caller.js';
import { TooManyAttempts } from '../../limits/limits.errors.js';
import { OrgOfPath } from '../org-of-path.js';
import { InvitationNotFound } from '../orgs.errors.js';
import type { Invitation } from '../persistence/invitation.entity.js';
import { InvitationCreation, type InviteInput } from './invitation-creation.js';
import { OpenInvitations } from './open-invitations.js';
import { RoleGrants } from './role-grants.js';

const INVITATIONS_PER_USER: AttemptRule = {
  name: 'invite',
  attempts: 100,
  periodSeconds: 3_600,
  Refusal: TooManyAttempts,
};

/** Invites people to organizations by email. Only a user who can read the mail of the address can accept. */
@Injectable()
export class InvitationsService {
  constructor(
    private readonly database: Database,
    private readonly paths: OrgOfPath,
    private readonly attempts: AttemptsService,
    private readonly grants: RoleGrants,
    private readonly creation: InvitationCreation,
    private readonly invitations: OpenInvitations,
    private readonly audit: AuditLogService,
  ) {}

  /**
   * Sends an invitation. It replaces an open one to the same address.
   *
   * @throws {AlreadyMember} `already_exists`
   * @throws {RoleTooLow} `insufficient_scopes`: a caller cannot grant a role above its own.
   * @throws {OrganizationIsPersonal} `personal_organization`
   * @throws {TooManyAttempts} `burst_limit_exceeded`
   */
  async invite(orgIdOrSlug: string, input: InviteInput, call: Call): Promise<Invitation> {
    const { id: orgId } = this.paths.require(call, orgIdOrSlug, 'orgs:members');
    const { user } = call.principal;
    await this.attempts.count(INVITATIONS_PER_USER, user.id);
    return this.database.transaction(async () => {
      await this.grants.lockShared(orgId);
      await this.grants.require(orgId, input.role, call);
      const invitation = await this.creation.create(orgId, input, user.id);
      const { id, role } = invitation;
      await this.audit.record(
        { orgId, action: 'member.invited', target: { type: 'invitation', id }, details: { role } },
        call,
      );
      return invitation;
    });
  }

  /**
   * Lists the open invitations, newest first.
   *
   * @throws {OrganizationNotFound} `organization_not_found`
   */
  list(orgIdOrSlug: string, page: PageRequest, call: Call): Promise<Page<Invitation>> {
    return this.invitations.page(this.paths.require(call, orgIdOrSlug, 'orgs:members').id, page);
  }

  /**
   * @throws {InvitationNotFound} `invitation_not_found`
   * @throws {RoleTooLow} `insufficient_scopes`
   */
  async revoke(orgIdOrSlug: string, invitationId: string, call: Call): Promise<void> {
    const { id: orgId } = this.paths.require(call, orgIdOrSlug, 'orgs:members');
    await this.database.transaction(async () => {
      const invitation = await this.invitations.lockAndFind(orgId, invitationId);
      if (invitation === undefined) throw new InvitationNotFound();
      await this.grants.require(orgId, invitation.role, call);
      await this.invitations.revoke(invitation.id);
      await this.audit.record(
        { orgId, action: 'invitation.revoked', target: { type: 'invitation', id: invitation.id } },
        call,
      );
    });
  }
}
