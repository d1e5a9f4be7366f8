import { Module } from '@nestjs/common';
import { PasskeysStore } from './passkeys.store.js';
import { RecoveriesStore } from './recoveries.store.js';
import { RecoveryCodesStore } from './recovery-codes.store.js';
import { SpentChallengesStore } from './spent-challenges.store.js';
import { TotpStore } from './totp.store.js';

const STORES = [PasskeysStore, RecoveriesStore, RecoveryCodesStore, SpentChallengesStore, TotpStore];

@Module({ providers: STORES, exports: STORES })
export class FactorsPersistenceModule {}
