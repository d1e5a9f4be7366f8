import { Module } from '@nestjs/common';
import { AuditModule } from '../../audit/audit.module.js';
import { LeakedTokensModule } from '../../auth/leaked-tokens.module.js';
import { LeakedInvitations } from '../leaks/leaked-invitations.js';
import { ExportedMemberships } from './exported-memberships.js';
import { ExportedAuditLog } from './exported-audit-log.js';
import { OrgsModule } from '../orgs.module.js';
import { OrgsPersistenceModule } from '../persistence/orgs-persistence.module.js';
import { AuditLogController } from './audit-log.controller.js';
import { InvitationsController } from './invitations.controller.js';
import { MembersController } from './members.controller.js';
import { OrgsController } from './orgs.controller.js';

@Module({
  imports: [AuditModule, LeakedTokensModule, OrgsModule, OrgsPersistenceModule],
  controllers: [OrgsController, MembersController, InvitationsController, AuditLogController],
  providers: [ExportedMemberships, ExportedAuditLog, LeakedInvitations],
})
export class OrgsHttpModule {}
