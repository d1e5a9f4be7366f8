import { Module } from '@nestjs/common';
import { OrgDomainsStore } from './org-domains.store.js';

@Module({ providers: [OrgDomainsStore], exports: [OrgDomainsStore] })
export class SsoPersistenceModule {}
