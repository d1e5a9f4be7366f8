import { Module } from '@nestjs/common';
import { RunPrincipalsModule } from '../../auth/run-principals.module.js';
import { TokensModule } from '../../auth/tokens.module.js';
import { LimitsModule } from '../../limits/limits.module.js';
import { OrgDirectoryModule } from '../../orgs/org-directory.module.js';
import { ObjectsPersistenceModule } from '../persistence/objects-persistence.module.js';
import { AccessKeyAdmission } from './access-key-admission.js';
import { AccessKeyLookup } from './access-key-lookup.js';
import { AccessKeyRemoval } from './access-key-removal.js';
import { AccessKeyUsage } from './access-key-usage.js';
import { AccessKeyVault } from './access-key-vault.js';
import { AccessKeysService } from './access-keys.service.js';
import { KnownAccessKeys } from './known-access-keys.js';
import { AccessKeysStore } from './persistence/access-keys.store.js';

/** Access keys, for the API and for every process that checks signatures. */
@Module({
  imports: [LimitsModule, ObjectsPersistenceModule, OrgDirectoryModule, RunPrincipalsModule, TokensModule],
  providers: [
    AccessKeyAdmission,
    AccessKeyLookup,
    AccessKeyRemoval,
    AccessKeyUsage,
    AccessKeyVault,
    AccessKeysService,
    AccessKeysStore,
    KnownAccessKeys,
  ],
  exports: [AccessKeyAdmission, AccessKeyRemoval, AccessKeyVault, AccessKeysService, AccessKeysStore],
})
export class AccessKeysModule {}
