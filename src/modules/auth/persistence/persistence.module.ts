import { Module } from '@nestjs/common';
import { ApiKeyStore } from './api-key.store.js';
import { KeyLookupStore } from './key-lookup.store.js';
import { LeakedTokensStore } from './leaked-tokens.store.js';
import { SessionsStore } from './sessions.store.js';
import { SignInFlowsStore } from './sign-in-flows.store.js';

const STORES = [ApiKeyStore, KeyLookupStore, LeakedTokensStore, SessionsStore, SignInFlowsStore];

@Module({ providers: STORES, exports: STORES })
export class PersistenceModule {}
