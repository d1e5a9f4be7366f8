import { Module } from '@nestjs/common';
import { ScimGroupsStore } from './scim-groups.store.js';
import { ScimTokensStore } from './scim-tokens.store.js';
import { ScimUsersStore } from './scim-users.store.js';

const STORES = [ScimGroupsStore, ScimTokensStore, ScimUsersStore];

@Module({ providers: STORES, exports: STORES })
export class ScimPersistenceModule {}
