import { Global, Module } from '@nestjs/common';
import { MembershipDirectory } from '../auth/membership-directory.js';
import { OrgMemberships } from './members/org-memberships.js';
import { OrgsPersistenceModule } from './persistence/orgs-persistence.module.js';

/** Global because `auth` asks for the directory and stands below `orgs`. */
@Global()
@Module({
  imports: [OrgsPersistenceModule],
  providers: [{ provide: MembershipDirectory, useClass: OrgMemberships }],
  exports: [MembershipDirectory],
})
export class MembershipDirectoryModule {}
