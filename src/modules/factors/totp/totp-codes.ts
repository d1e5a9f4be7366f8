import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import { TotpStore } from '../persistence/totp.store.js';
import { stepOfCode } from './totp.js';
import { TotpSecrets } from './totp-secrets.js';

/** Codes of authenticator apps. */
@Injectable()
export class TotpCodes {
  constructor(
    private readonly totp: TotpStore,
    private readonly secrets: TotpSecrets,
    private readonly clock: Clock,
  ) {}

  /** True when the person has an app that was confirmed. */
  async exist(userId: string): Promise<boolean> {
    return (await this.totp.findInUse(userId)) !== undefined;
  }

  /** Uses up a code in the running transaction. Returns false for a wrong one, and for one that was used. */
  async use(userId: string, typed: string): Promise<boolean> {
    const row = await this.totp.findInUse(userId);
    if (row === undefined) return false;
    const at = this.clock.now();
    const step = stepOfCode(this.secrets.open(row.secret, row.id), typed, { at, after: row.lastStep });
    return step !== undefined && this.totp.useStep(row.id, step, at);
  }
}
