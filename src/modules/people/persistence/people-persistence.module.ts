import { Module } from '@nestjs/common';
import { AccountDeletionsStore } from './account-deletions.store.js';
import { EmailChangesStore } from './email-changes.store.js';
import { EmailTokensStore } from './email-tokens.store.js';
import { PersonalRowsStore } from './personal-rows.store.js';
import { SignInAddressesStore } from './sign-in-addresses.store.js';
import { UsersStore } from './users.store.js';

const STORES = [
  AccountDeletionsStore,
  EmailChangesStore,
  EmailTokensStore,
  PersonalRowsStore,
  SignInAddressesStore,
  UsersStore,
];

@Module({ providers: STORES, exports: STORES })
export class PeoplePersistenceModule {}
