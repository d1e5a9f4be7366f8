import { Module } from '@nestjs/common';
import { DomainsStore } from './domains.store.js';

@Module({ providers: [DomainsStore], exports: [DomainsStore] })
export class DomainsPersistenceModule {}
