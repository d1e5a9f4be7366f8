import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { AttemptsModule } from '../auth/attempts.module.js';
import { TokensModule } from '../auth/tokens.module.js';
import { AccountDepartures } from './account-departures.js';
import { OrgAuditLogService } from './audit/org-audit-log.service.js';
import { InvitationMessages } from './invitation-messages.js';
import { InvitationAcceptanceService } from './members/invitation-acceptance.service.js';
import { InvitationCreation } from './members/invitation-creation.js';
import { InvitationsService } from './members/invitations.service.js';
import { MembersService } from './members/members.service.js';
import { OpenInvitations } from './members/open-invitations.js';
import { RoleGrants } from './members/role-grants.js';
import { MemberEpochs } from './organizations/member-epochs.js';
import { OrgEpochs } from './organizations/org-epochs.js';
import { ManagedMemberships } from './managed-memberships.js';
import { OrgOfPath } from './org-of-path.js';
import { OrgSignInRules } from './org-sign-in-rules.js';
import { OrganizationCreation } from './organizations/organization-creation.js';
import { OrganizationRemoval } from './organizations/organization-removal.js';
import { OrganizationPolicy } from './organizations/organization-policy.js';
import { OrganizationSsoPolicy } from './organizations/organization-sso-policy.js';
import { OrganizationRenaming } from './organizations/organization-renaming.js';
import { OrganizationsService } from './organizations/organizations.service.js';
import { OrgsPersistenceModule } from './persistence/orgs-persistence.module.js';
import { PersonalOrgs } from './personal-orgs.js';

const SERVICES = [
  AccountDepartures,
  InvitationAcceptanceService,
  InvitationMessages,
  InvitationsService,
  ManagedMemberships,
  MembersService,
  OrgAuditLogService,
  OrgSignInRules,
  OrganizationsService,
  PersonalOrgs,
];

@Module({
  imports: [AttemptsModule, AuditModule, OrgsPersistenceModule, TokensModule],
  providers: [
    InvitationCreation,
    MemberEpochs,
    OpenInvitations,
    OrganizationCreation,
    OrganizationRemoval,
    OrganizationPolicy,
    OrganizationSsoPolicy,
    OrganizationRenaming,
    OrgEpochs,
    OrgOfPath,
    RoleGrants,
    ...SERVICES,
  ],
  exports: SERVICES,
})
export class OrgsModule {}
