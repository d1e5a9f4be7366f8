import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { Clock } from '../../../platform/time/clock.js';
import { type AttemptRule, AttemptsService } from '../../auth/attempts.service.js';
import { TooManyAttempts } from '../../limits/limits.errors.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import type { Call } from '../../auth/caller.js';
import { authMailJob } from '../../auth/auth-mail.job.js';
import type { OrgRole } from '../../auth/org-role.js';
import { EmailTokenInvalid } from '../../auth/auth.errors.js';
import { PersonDirectory } from '../../auth/person-directory.js';
import type { Invitation } from '../persistence/invitation.entity.js';
import { InvitationsStore } from '../persistence/invitations.store.js';
import { MembershipsStore } from '../persistence/memberships.store.js';
import { OrganizationsStore, type OwnOrganization } from '../persistence/organizations.store.js';
import { SecretHasher } from '../../auth/secret-hasher.js';
import { tokenKindOf } from '../../auth/token-format.js';
import { OrgOfPath } from '../organizations/org-of-path.js';
import { AlreadyMember, InvitationNotFound, OrganizationIsPersonal, OrganizationNotFound } from '../orgs.errors.js';
import { INVITATION_ID } from '../orgs.ids.js';
import { requireRank } from './rank.js';

const LIFETIME_MS = 7 * 86_400_000;
const INVITATIONS_OF_A_PERSON: AttemptRule = {
  name: 'invite',
  attempts: 100,
  periodSeconds: 3_600,
  Refusal: TooManyAttempts,
};

export interface InviteInput {
  readonly email: string;
  readonly role: OrgRole;
}

/** Asks people into organizations, by email: only who has the address, and reads what is sent to it, comes in. */
@Injectable()
export class InvitationsService {
  constructor(
    private readonly database: Database,
    private readonly invitations: InvitationsStore,
    private readonly organizations: OrganizationsStore,
    private readonly memberships: MembershipsStore,
    private readonly people: PersonDirectory,
    private readonly paths: OrgOfPath,
    private readonly hasher: SecretHasher,
    private readonly attempts: AttemptsService,
    private readonly audit: AuditLogService,
    private readonly outbox: Outbox,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends an invitation. An open one to the same address is replaced.
   *
   * @throws {AlreadyMember} `already_exists`
   * @throws {RoleTooLow} `insufficient_scopes`: nobody gives a role above their own.
   * @throws {OrganizationIsPersonal} `personal_organization`
   * @throws {TooManyAttempts} `burst_limit_exceeded`
   */
  async invite(org: string, { email, role }: InviteInput, call: Call): Promise<Invitation> {
    const { id: orgId } = this.paths.require(call, org, 'orgs:members');
    const { user } = call.principal;
    await this.attempts.count(INVITATIONS_OF_A_PERSON, user.id);
    return this.database.transaction(async () => {
      await this.lock(orgId, role, call);
      const invitee = await this.people.findIdByEmail(email);
      if (invitee !== undefined && (await this.memberships.find(orgId, invitee)) !== undefined)
        throw new AlreadyMember();

      const now = this.clock.now();
      await this.invitations.revokeFor(orgId, email, now);
      const invitation = {
        id: this.ids.next(INVITATION_ID),
        orgId,
        email,
        role,
        tokenHash: null,
        invitedBy: user.id,
        createdAt: now,
        expiresAt: new Date(now.getTime() + LIFETIME_MS),
        acceptedAt: null,
        revokedAt: null,
      };
      await this.invitations.insert(invitation);
      await this.outbox.enqueue(authMailJob, { kind: 'invitation', subjectId: invitation.id });
      await this.audit.record(
        { orgId, action: 'member.invited', target: { type: 'invitation', id: invitation.id }, details: { role } },
        call,
      );
      return invitation;
    });
  }

  /** The open ones, the latest first. @throws {OrganizationNotFound} `organization_not_found` */
  list(org: string, page: PageRequest, call: Call): Promise<Page<Invitation>> {
    return this.invitations.pageOfOpen(this.paths.require(call, org, 'orgs:members').id, page, this.clock.now());
  }

  /**
   * @throws {InvitationNotFound} `invitation_not_found`
   * @throws {RoleTooLow} `insufficient_scopes`
   */
  async revoke(org: string, invitationId: string, call: Call): Promise<void> {
    const { id: orgId } = this.paths.require(call, org, 'orgs:members');
    await this.database.transaction(async () => {
      const now = this.clock.now();
      const invitation = await this.lockAndFind(orgId, () => this.invitations.findOpen(invitationId, now));
      if (invitation === undefined) throw new InvitationNotFound();
      await this.requireRank(orgId, invitation.role, call);
      await this.invitations.revoke(invitation.id, now);
      await this.audit.record(
        { orgId, action: 'invitation.revoked', target: { type: 'invitation', id: invitation.id } },
        call,
      );
    });
  }

  /**
   * Makes the caller a member by the token of a message that was sent to the caller's own address, which that proves.
   *
   * @throws {EmailTokenInvalid} `invalid_email_token`, also when the message was for somebody else.
   * @throws {AlreadyMember} `already_exists`
   */
  async accept(token: string, call: Call): Promise<OwnOrganization> {
    if (tokenKindOf(token) !== 'inv') throw new EmailTokenInvalid();
    const { user } = call.principal;
    const hashes = this.hasher.hashes(token);
    return this.database.transaction(async () => {
      const now = this.clock.now();
      const seen = await this.invitations.findOpenByToken(hashes, now);
      if (seen?.email.toLowerCase() !== user.email.toLowerCase()) throw new EmailTokenInvalid();
      const invitation = await this.lockAndFind(seen.orgId, () => this.invitations.findOpenByToken(hashes, now));
      if (invitation === undefined) throw new EmailTokenInvalid();

      const { id, orgId, role } = invitation;
      await this.memberships.insert({ orgId, userId: user.id, role, createdAt: now });
      await this.invitations.markAccepted(id, now);
      await this.people.markVerified(user.id, user.email);
      await this.people.raiseEpoch(user.id);
      await this.audit.record(
        { orgId, action: 'member.joined', target: { type: 'user', id: user.id }, details: { role, invitation_id: id } },
        call,
      );
      return this.getOf(user.id, orgId);
    });
  }

  private async lock(orgId: string, role: OrgRole, call: Call): Promise<void> {
    const organization = await this.organizations.lock(orgId);
    if (organization === undefined) throw new OrganizationNotFound();
    if (organization.personalOf !== null) throw new OrganizationIsPersonal();
    await this.requireRank(orgId, role, call);
  }

  /** What is found once the organization is locked is so until the end; nothing when it is deleted. */
  private async lockAndFind(
    orgId: string,
    find: () => Promise<Invitation | undefined>,
  ): Promise<Invitation | undefined> {
    const organization = await this.organizations.lock(orgId);
    const invitation = organization && (await find());
    return invitation?.orgId === orgId ? invitation : undefined;
  }

  private async requireRank(orgId: string, role: OrgRole, call: Call): Promise<void> {
    requireRank((await this.memberships.find(orgId, call.principal.user.id))?.role, role);
  }

  private async getOf(userId: string, orgId: string): Promise<OwnOrganization> {
    const organization = await this.organizations.findOf(userId, orgId);
    if (organization === undefined) throw new OrganizationNotFound();
    return organization;
  }
}
