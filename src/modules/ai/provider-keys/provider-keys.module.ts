import { Module } from '@nestjs/common';
import { OrgDirectoryModule } from '../../orgs/org-directory.module.js';
import { AiModule } from '../ai.module.js';
import { ProviderKeysStore } from '../persistence/provider-keys.store.js';
import { ProviderKeysService } from './provider-keys.service.js';
import { ProviderKeyVault } from './provider-key-vault.js';

/** Calls of routers at the expense of organizations. */
@Module({
  imports: [AiModule, OrgDirectoryModule],
  providers: [ProviderKeysService, ProviderKeysStore, ProviderKeyVault],
  exports: [ProviderKeysService, ProviderKeysStore, ProviderKeyVault],
})
export class ProviderKeysModule {}
