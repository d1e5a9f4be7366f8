import { Module } from '@nestjs/common';
import { BudgetsStore } from './budgets.store.js';
import { GrantsStore } from './grants.store.js';
import { HoldsStore } from './holds.store.js';
import { LedgerStore } from './ledger.store.js';
import { PurseChangesStore } from './purse-changes.store.js';
import { PursesStore } from './purses.store.js';
import { SpendCapsStore } from './spend-caps.store.js';
import { WorkBudgetsStore } from './work-budgets.store.js';

const STORES = [
  BudgetsStore,
  GrantsStore,
  HoldsStore,
  LedgerStore,
  PurseChangesStore,
  PursesStore,
  SpendCapsStore,
  WorkBudgetsStore,
];

@Module({ providers: STORES, exports: STORES })
export class CreditsPersistenceModule {}
