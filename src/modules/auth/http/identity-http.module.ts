import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { OrgsModule } from '../orgs/orgs.module.js';
import { PeopleModule } from '../people/people.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { AuditLogController } from './audit-log.controller.js';
import { AuthController } from './auth.controller.js';
import { InvitationsController } from './invitations.controller.js';
import { MembersController } from './members.controller.js';
import { OrgsController } from './orgs.controller.js';
import { PasswordsController } from './passwords.controller.js';
import { SessionsController } from './sessions.controller.js';

/** People, their sessions, and the organizations that they belong to. */
@Module({
  imports: [AuditModule, OrgsModule, PeopleModule, SessionsModule],
  controllers: [
    AuthController,
    PasswordsController,
    SessionsController,
    OrgsController,
    MembersController,
    InvitationsController,
    AuditLogController,
  ],
})
export class IdentityHttpModule {}
