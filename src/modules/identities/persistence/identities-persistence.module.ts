import { Module } from '@nestjs/common';
import { BrowserSignInsStore } from './browser-sign-ins.store.js';
import { ExternalSignInsStore } from './external-sign-ins.store.js';
import { IdentitiesStore } from './identities.store.js';

const STORES = [BrowserSignInsStore, ExternalSignInsStore, IdentitiesStore];

@Module({ providers: STORES, exports: STORES })
export class IdentitiesPersistenceModule {}
