import { Module } from '@nestjs/common';
import { OauthGrantsStore } from './oauth-grants.store.js';
import { OauthRecordsStore } from './oauth-records.store.js';
import { SigningKeysStore } from './signing-keys.store.js';

const STORES = [OauthGrantsStore, OauthRecordsStore, SigningKeysStore];

@Module({ providers: STORES, exports: STORES })
export class OauthPersistenceModule {}
