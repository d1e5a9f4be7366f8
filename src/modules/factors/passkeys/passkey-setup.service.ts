import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import type { AddedFactor } from '../changes/added-factor.js';
import { FactorSet } from '../changes/factor-set.js';
import { FactorRefused, TooManyPasskeys } from '../factors.errors.js';
import { FACTOR_ID } from '../factors.ids.js';
import { PasskeysStore } from '../persistence/passkeys.store.js';
import { Challenges } from './challenges.js';
import { type PasskeyAnswer, type PublicKeyCredentialCreationOptionsJSON, RelyingParty } from './relying-party.js';

const MAX_PASSKEYS = 20;

/** Adds passkeys. The route has asked for a recent sign-in. */
@Injectable()
export class PasskeySetupService {
  constructor(
    private readonly database: Database,
    private readonly passkeys: PasskeysStore,
    private readonly party: RelyingParty,
    private readonly challenges: Challenges,
    private readonly set: FactorSet,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /** What a browser needs to create a passkey for the caller. */
  async options({ principal: { user } }: Call): Promise<PublicKeyCredentialCreationOptionsJSON> {
    return this.party.creationOptions(user, await this.passkeys.list(user.id));
  }

  /**
   * @throws {FactorRefused} `invalid_factor`
   * @throws {TooManyPasskeys} `factor_limit_reached`
   */
  async add(
    call: Call,
    { name, passkey }: { readonly name: string; readonly passkey: PasskeyAnswer },
  ): Promise<AddedFactor> {
    const { id: userId } = call.principal.user;
    const { challenge, ...credential } = await this.party.checkCreation(passkey, userId);
    return this.database.transaction(async () => {
      await this.set.lock(userId);
      if ((await this.passkeys.list(userId)).length >= MAX_PASSKEYS) throw new TooManyPasskeys(MAX_PASSKEYS);
      if (!(await this.challenges.spend(challenge))) throw new FactorRefused();
      const row = { id: this.ids.next(FACTOR_ID), userId, name, createdAt: this.clock.now(), ...credential };
      await this.passkeys.insert(row);
      const details = { factor_id: row.id, type: 'passkey', name };
      return { id: row.id, recoveryCodes: await this.set.added(call, 'passkey', details) };
    });
  }
}
