import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Call } from '../../auth/caller.js';
import { PersonDirectory } from '../../auth/person-directory.js';
import { SessionsService } from '../../auth/sessions.service.js';
import type { SecondFactorMethod } from '../../auth/sign-in-method.js';
import { FactorNotFound } from '../factors.errors.js';
import { FactorHistory } from '../history/factor-history.js';
import { PasskeysStore } from '../persistence/passkeys.store.js';
import { TotpStore } from '../persistence/totp.store.js';
import { RecoveryCodes } from '../recovery/recovery-codes.js';

/** What a change of one factor means for all of a person. All methods join the running transaction. */
@Injectable()
export class FactorSet {
  constructor(
    private readonly database: Database,
    private readonly totp: TotpStore,
    private readonly passkeys: PasskeysStore,
    private readonly codes: RecoveryCodes,
    private readonly people: PersonDirectory,
    private readonly sessions: SessionsService,
    private readonly history: FactorHistory,
  ) {}

  /** Lets one change of the factors of a person happen at a time, in all processes. */
  async lock(userId: string): Promise<void> {
    await this.database.manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `factors of ${userId}`,
    ]);
  }

  /**
   * The person has shown the new factor just now, so the session of the call counts as confirmed with it. With the
   * first factor all other sessions end: they were opened without one.
   *
   * @returns recovery codes for the first factor.
   */
  async added(
    call: Call,
    method: SecondFactorMethod,
    details: Readonly<Record<string, unknown>>,
  ): Promise<string[] | undefined> {
    const { id: userId } = call.principal.user;
    const isFirst = (await this.people.find(userId))?.hasSecondFactor !== true;
    const codes = isFirst ? await this.codes.renew(userId) : undefined;
    await this.sessions.confirm(call, [method]);
    if (isFirst) await this.sessions.endAll(userId, call, 'second_factor_added');
    await this.history.record({ userId, action: 'added', details }, call);
    await this.people.noteSecondFactor(userId, true);
    return codes;
  }

  /** Recovery codes stand for a factor: with the last one they end. */
  async removed(call: Call, details: Readonly<Record<string, unknown>>): Promise<void> {
    const { id: userId } = call.principal.user;
    const isLeft = await this.hasAny(userId);
    if (!isLeft) await this.codes.deleteAll(userId);
    await this.history.record({ userId, action: 'removed', details }, call);
    await this.people.noteSecondFactor(userId, isLeft);
  }

  /** @throws {FactorNotFound} `factor_not_found` */
  async renewCodes(call: Call): Promise<string[]> {
    const { id: userId } = call.principal.user;
    if (!(await this.hasAny(userId))) throw new FactorNotFound();
    const codes = await this.codes.renew(userId);
    await this.history.record({ userId, action: 'recovery_codes_created' }, call);
    return codes;
  }

  /** Removes everything, and ends all sessions, because the person has lost all factors. */
  async recovered(userId: string, details: Readonly<Record<string, unknown>>): Promise<void> {
    await this.totp.deleteAll(userId);
    await this.passkeys.deleteAll(userId);
    await this.codes.deleteAll(userId);
    await this.sessions.endAll(userId, {}, 'second_factors_recovered');
    await this.history.record({ userId, action: 'recovered', details }, {});
    await this.people.noteSecondFactor(userId, false);
  }

  private async hasAny(userId: string): Promise<boolean> {
    return (await this.totp.findInUse(userId)) !== undefined || (await this.passkeys.list(userId)).length > 0;
  }
}
