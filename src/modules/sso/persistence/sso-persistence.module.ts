import { Module } from '@nestjs/common';
import { OrgDomainsStore } from './org-domains.store.js';
import { SsoConnectionsStore } from './sso-connections.store.js';

const STORES = [OrgDomainsStore, SsoConnectionsStore];

@Module({ providers: STORES, exports: STORES })
export class SsoPersistenceModule {}
