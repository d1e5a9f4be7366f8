import { Module } from '@nestjs/common';
import { ApiKeyStore } from './api-key.store.js';
import { KeyLookupStore } from './key-lookup.store.js';
import { SessionsStore } from './sessions.store.js';

const STORES = [ApiKeyStore, KeyLookupStore, SessionsStore];

@Module({ providers: STORES, exports: STORES })
export class PersistenceModule {}
