import { Module } from '@nestjs/common';
import { EmailTokensStore } from './email-tokens.store.js';
import { SignInAddressesStore } from './sign-in-addresses.store.js';
import { UsersStore } from './users.store.js';

const STORES = [EmailTokensStore, SignInAddressesStore, UsersStore];

@Module({ providers: STORES, exports: STORES })
export class PeoplePersistenceModule {}
