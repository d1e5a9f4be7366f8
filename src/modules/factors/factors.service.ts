import { Injectable } from '@nestjs/common';
import { type PasskeyRow, PasskeysStore } from './persistence/passkeys.store.js';
import { RecoveriesStore } from './persistence/recoveries.store.js';
import { TotpStore } from './persistence/totp.store.js';
import { RecoveryCodes } from './recovery/recovery-codes.js';

export interface Factor {
  readonly id: string;
  readonly type: 'totp' | 'passkey';
  /** The name that the person gave. Apps have none. */
  readonly name: string | undefined;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

/** All second factors of a person. */
export interface FactorOverview {
  readonly factors: readonly Factor[];
  readonly recoveryCodesLeft: number;
  /** When a recovery in progress removes all of them. */
  readonly recoveryDueAt: Date | undefined;
}

/** Reads the second factors of people. */
@Injectable()
export class FactorsService {
  constructor(
    private readonly totp: TotpStore,
    private readonly passkeys: PasskeysStore,
    private readonly codes: RecoveryCodes,
    private readonly recoveries: RecoveriesStore,
  ) {}

  /** Deletes everything of a person whose account is deleted, in the running transaction. */
  async eraseAll(userId: string): Promise<void> {
    await this.totp.deleteAll(userId);
    await this.passkeys.deleteAll(userId);
    await this.codes.deleteAll(userId);
    await this.recoveries.delete(userId);
  }

  async overview(userId: string): Promise<FactorOverview> {
    const totp = await this.totp.findInUse(userId);
    const passkeys = await this.passkeys.list(userId);
    const apps = totp === undefined ? [] : [{ ...totp, type: 'totp' as const, name: undefined }];
    return {
      factors: [...apps, ...passkeys.map(factorOf)],
      recoveryCodesLeft: await this.codes.count(userId),
      recoveryDueAt: (await this.recoveries.find(userId))?.dueAt,
    };
  }
}

const factorOf = ({ id, name, createdAt, lastUsedAt }: PasskeyRow): Factor => {
  return { id, type: 'passkey', name, createdAt, lastUsedAt };
};
