import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { AttemptsModule } from '../auth/attempts.module.js';
import { KeysModule } from '../auth/keys.module.js';
import { SessionsModule } from '../auth/sessions.module.js';
import { TokensModule } from '../auth/tokens.module.js';
import { OrgsModule } from '../orgs/orgs.module.js';
import { PeopleModule } from '../people/people.module.js';
import { SsoModule } from '../sso/sso.module.js';
import { GroupWrites } from './groups/group-writes.js';
import { ScimGroupsService } from './groups/scim-groups.service.js';
import { SCIM_METRICS, ScimMetrics } from './metrics/scim.metrics.js';
import { ScimPersistenceModule } from './persistence/scim-persistence.module.js';
import { ConnectionLock } from './tokens/connection-lock.js';
import { ScimAuthenticator } from './tokens/scim-authenticator.js';
import { ScimTokensService } from './tokens/scim-tokens.service.js';
import { ScimHistory } from './users/scim-history.js';
import { ScimMemberships } from './users/scim-memberships.js';
import { ScimUsersService } from './users/scim-users.service.js';
import { UserWrites } from './users/user-writes.js';

const SERVICES = [ScimAuthenticator, ScimGroupsService, ScimTokensService, ScimUsersService];

/** SCIM 2.0: identity providers add and remove the people of an organization. */
@Module({
  imports: [
    AttemptsModule,
    AuditModule,
    KeysModule,
    OrgsModule,
    PeopleModule,
    ScimPersistenceModule,
    SessionsModule,
    SsoModule,
    TokensModule,
  ],
  providers: [...SERVICES, ConnectionLock, GroupWrites, ScimHistory, ScimMemberships, UserWrites, ...SCIM_METRICS],
  exports: [...SERVICES, ScimMetrics],
})
export class ScimModule {}
