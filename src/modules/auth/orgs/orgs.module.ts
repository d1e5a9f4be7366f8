import { Module } from '@nestjs/common';
import { AttemptsModule } from '../attempts/attempts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { PersistenceModule } from '../persistence/persistence.module.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { InvitationsService } from './invitations.service.js';
import { MembersService } from './members.service.js';
import { OrganizationsService } from './organizations.service.js';
import { OrgOfPath } from './org-of-path.service.js';

const SERVICES = [InvitationsService, MembersService, OrganizationsService, OrgOfPath];

@Module({
  imports: [AttemptsModule, AuditModule, PersistenceModule, TokensModule],
  providers: SERVICES,
  exports: SERVICES,
})
export class OrgsModule {}
