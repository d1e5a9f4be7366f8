import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Call } from '../../auth/caller.js';
import { FactorNotFound } from '../factors.errors.js';
import { type PasskeyRow, PasskeysStore } from '../persistence/passkeys.store.js';
import { TotpStore } from '../persistence/totp.store.js';
import { FactorSet } from './factor-set.js';

/** Removes second factors, and replaces recovery codes. The route has asked for a recent sign-in with a factor. */
@Injectable()
export class FactorChangesService {
  constructor(
    private readonly database: Database,
    private readonly totp: TotpStore,
    private readonly passkeys: PasskeysStore,
    private readonly set: FactorSet,
  ) {}

  /** @throws {FactorNotFound} `factor_not_found` */
  async remove(call: Call, factorId: string): Promise<void> {
    const { id: userId } = call.principal.user;
    await this.database.transaction(async () => {
      await this.set.lock(userId);
      const passkey = (await this.passkeys.list(userId)).find(({ id }) => id === factorId);
      const wasThere =
        passkey === undefined ? await this.totp.delete(factorId, userId) : await this.passkeys.delete(factorId, userId);
      if (!wasThere) throw new FactorNotFound();
      await this.set.removed(call, detailsOf(factorId, passkey));
    });
  }

  /**
   * Replaces the recovery codes, which are returned only once.
   *
   * @throws {FactorNotFound} `factor_not_found`: there is no factor that they could stand for.
   */
  renewRecoveryCodes(call: Call): Promise<string[]> {
    return this.database.transaction(async () => {
      await this.set.lock(call.principal.user.id);
      return this.set.renewCodes(call);
    });
  }
}

const detailsOf = (factorId: string, passkey: PasskeyRow | undefined): Record<string, unknown> =>
  passkey === undefined
    ? { factor_id: factorId, type: 'totp' }
    : { factor_id: factorId, type: 'passkey', name: passkey.name };
