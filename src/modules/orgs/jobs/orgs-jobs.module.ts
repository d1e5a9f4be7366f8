import { Module } from '@nestjs/common';
import { OrgsPersistenceModule } from '../persistence/orgs-persistence.module.js';
import { ExpiredInvitationsSweeper } from './expired-invitations.sweeper.js';

@Module({
  imports: [OrgsPersistenceModule],
  providers: [ExpiredInvitationsSweeper],
})
export class OrgsJobsModule {}
