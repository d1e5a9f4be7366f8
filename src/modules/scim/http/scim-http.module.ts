import { Module } from '@nestjs/common';
import { AuditModule } from '../../audit/audit.module.js';
import { LeakedTokensModule } from '../../auth/leaked-tokens.module.js';
import { SsoModule } from '../../sso/sso.module.js';
import { ScimPersistenceModule } from '../persistence/scim-persistence.module.js';
import { ScimModule } from '../scim.module.js';
import { LeakedScimTokens } from '../tokens/leaked-scim-tokens.js';
import { ScimDiscoveryController } from './scim-discovery.controller.js';
import { ScimFallbackController } from './scim-fallback.controller.js';
import { ScimGroupsController } from './scim-groups.controller.js';
import { ScimTokensController } from './scim-tokens.controller.js';
import { ScimUsersController } from './scim-users.controller.js';

@Module({
  imports: [AuditModule, LeakedTokensModule, ScimModule, ScimPersistenceModule, SsoModule],
  providers: [LeakedScimTokens],
  controllers: [
    ScimTokensController,
    ScimUsersController,
    ScimGroupsController,
    ScimDiscoveryController,
    // Last, because its addresses are all others below the URL of a connection.
    ScimFallbackController,
  ],
})
export class ScimHttpModule {}
