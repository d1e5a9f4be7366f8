import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import { type AttemptRule, AttemptsService } from '../../auth/attempts.service.js';
import type { Call } from '../../auth/caller.js';
import { TooManyAttempts } from '../../limits/limits.errors.js';
import type { AddedFactor } from '../changes/added-factor.js';
import { FactorSet } from '../changes/factor-set.js';
import { FactorNotFound, FactorRefused } from '../factors.errors.js';
import { FACTOR_ID } from '../factors.ids.js';
import { TotpStore } from '../persistence/totp.store.js';
import { base32, stepOfCode } from './totp.js';
import { TotpSecrets } from './totp-secrets.js';

const RULE: AttemptRule = { name: 'totp_setup', attempts: 10, periodSeconds: 300, Refusal: TooManyAttempts };

/** The secret of an authenticator app, which is returned only once. */
export interface NewTotp {
  readonly id: string;
  /** In base32. */
  readonly secret: string;
}

/** Sets up authenticator apps. The route has asked for a recent sign-in. */
@Injectable()
export class TotpSetupService {
  constructor(
    private readonly database: Database,
    private readonly totp: TotpStore,
    private readonly secrets: TotpSecrets,
    private readonly set: FactorSet,
    private readonly attempts: AttemptsService,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /** Creates a secret that begins to count when {@link confirm} gets a code of it. Until then nothing changes. */
  begin({ principal: { user } }: Call): Promise<NewTotp> {
    return this.database.transaction(async () => {
      await this.set.lock(user.id);
      const id = this.ids.next(FACTOR_ID);
      const { secret, sealed } = this.secrets.create(id);
      await this.totp.putPending({ id, userId: user.id, secret: sealed, at: this.clock.now() });
      return { id, secret: base32(secret) };
    });
  }

  /**
   * Begins with the authenticator app, in place of an earlier one.
   *
   * @throws {FactorNotFound} `factor_not_found`: no secret waits for a code.
   * @throws {FactorRefused} `invalid_factor`
   * @throws {TooManyAttempts} `burst_limit_exceeded`
   */
  async confirm(call: Call, code: string): Promise<AddedFactor> {
    const { id: userId } = call.principal.user;
    await this.attempts.count(RULE, userId);
    return this.database.transaction(async () => {
      await this.set.lock(userId);
      const row = await this.totp.findPending(userId);
      if (row === undefined) throw new FactorNotFound();
      const at = this.clock.now();
      const secret = this.secrets.open(row.secret, row.id);
      const step = stepOfCode(secret, code.replaceAll(/\s/g, ''), { at, after: 0 });
      if (step === undefined) throw new FactorRefused();
      await this.totp.confirm(row, step, at);
      return { id: row.id, recoveryCodes: await this.set.added(call, 'totp', { factor_id: row.id, type: 'totp' }) };
    });
  }
}
