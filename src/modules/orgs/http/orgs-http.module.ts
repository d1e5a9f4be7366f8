import { Module } from '@nestjs/common';
import { OrgsModule } from '../orgs.module.js';
import { AuditLogController } from './audit-log.controller.js';
import { InvitationsController } from './invitations.controller.js';
import { MembersController } from './members.controller.js';
import { OrgsController } from './orgs.controller.js';

@Module({
  imports: [OrgsModule],
  controllers: [OrgsController, MembersController, InvitationsController, AuditLogController],
})
export class OrgsHttpModule {}
