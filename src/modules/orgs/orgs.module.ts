import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { AttemptsModule } from '../auth/attempts.module.js';
import { TokensModule } from '../auth/tokens.module.js';
import { OrgAuditLogService } from './audit/org-audit-log.service.js';
import { InvitationMessages } from './invitation-messages.js';
import { InvitationsService } from './members/invitations.service.js';
import { MembersService } from './members/members.service.js';
import { OrgEpochs } from './organizations/org-epochs.js';
import { OrgOfPath } from './organizations/org-of-path.js';
import { OrganizationsService } from './organizations/organizations.service.js';
import { OrgsPersistenceModule } from './persistence/orgs-persistence.module.js';
import { PersonalOrgs } from './personal-orgs.js';

const SERVICES = [
  InvitationMessages,
  InvitationsService,
  MembersService,
  OrgAuditLogService,
  OrganizationsService,
  PersonalOrgs,
];

@Module({
  imports: [AttemptsModule, AuditModule, OrgsPersistenceModule, TokensModule],
  providers: [OrgEpochs, OrgOfPath, ...SERVICES],
  exports: SERVICES,
})
export class OrgsModule {}
