import { Module } from '@nestjs/common';
import { ApiKeyStore } from './api-key.store.js';
import { AuditStore } from './audit.store.js';
import { CallerStore } from './caller.store.js';
import { EmailTokensStore } from './email-tokens.store.js';
import { ExpiredCredentialsStore } from './expired-credentials.store.js';
import { InvitationsStore } from './invitations.store.js';
import { MembershipsStore } from './memberships.store.js';
import { OrganizationsStore } from './organizations.store.js';
import { SessionsStore } from './sessions.store.js';
import { SignInAddressesStore } from './sign-in-addresses.store.js';
import { UsersStore } from './users.store.js';

const STORES = [
  ApiKeyStore,
  AuditStore,
  CallerStore,
  EmailTokensStore,
  ExpiredCredentialsStore,
  InvitationsStore,
  MembershipsStore,
  OrganizationsStore,
  SessionsStore,
  SignInAddressesStore,
  UsersStore,
];

@Module({ providers: STORES, exports: STORES })
export class PersistenceModule {}
