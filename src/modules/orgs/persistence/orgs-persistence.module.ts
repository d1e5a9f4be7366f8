import { Module } from '@nestjs/common';
import { InvitationsStore } from './invitations.store.js';
import { MembershipsStore } from './memberships.store.js';
import { OrganizationsStore } from './organizations.store.js';

const STORES = [InvitationsStore, MembershipsStore, OrganizationsStore];

@Module({ providers: STORES, exports: STORES })
export class OrgsPersistenceModule {}
