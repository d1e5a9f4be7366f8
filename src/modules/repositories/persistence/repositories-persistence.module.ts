import { Module } from '@nestjs/common';
import { PushReservationsStore } from './push-reservations.store.js';
import { RepositoriesStore } from './repositories.store.js';

const STORES = [PushReservationsStore, RepositoriesStore];

@Module({ providers: STORES, exports: STORES })
export class RepositoriesPersistenceModule {}
