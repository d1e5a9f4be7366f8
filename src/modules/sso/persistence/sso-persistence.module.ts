import { Module } from '@nestjs/common';
import { OrgDomainsStore } from './org-domains.store.js';
import { ProvisionedPeopleStore } from './provisioned-people.store.js';
import { SsoConnectionsStore } from './sso-connections.store.js';

const STORES = [OrgDomainsStore, ProvisionedPeopleStore, SsoConnectionsStore];

@Module({ providers: STORES, exports: STORES })
export class SsoPersistenceModule {}
