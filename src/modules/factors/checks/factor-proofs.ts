import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import type { SecondFactorMethod } from '../../auth/sign-in-method.js';
import { FactorRecoveryService } from '../factor-recovery.service.js';
import { FactorRefused } from '../factors.errors.js';
import { Challenges } from '../passkeys/challenges.js';
import { type PasskeyAnswer, type PasskeyProof, RelyingParty } from '../passkeys/relying-party.js';
import { PasskeysStore } from '../persistence/passkeys.store.js';
import { RecoveryCodes } from '../recovery/recovery-codes.js';
import { TotpCodes } from '../totp/totp-codes.js';
import { PasskeyCopied } from './passkey-copied.js';

/** A person who has shown a factor, and which. */
export interface Proven {
  readonly userId: string;
  readonly method: SecondFactorMethod;
}

/** Checks one factor, and uses it up in the running transaction. */
@Injectable()
export class FactorProofs {
  constructor(
    private readonly totp: TotpCodes,
    private readonly passkeys: PasskeysStore,
    private readonly codes: RecoveryCodes,
    private readonly recoveries: FactorRecoveryService,
    private readonly party: RelyingParty,
    private readonly challenges: Challenges,
    private readonly clock: Clock,
  ) {}

  async methodsOf(userId: string): Promise<SecondFactorMethod[]> {
    const methods: SecondFactorMethod[] = [];
    if (await this.totp.exist(userId)) methods.push('totp');
    if ((await this.passkeys.list(userId)).length > 0) methods.push('passkey');
    if (methods.length > 0 && (await this.codes.count(userId)) > 0) methods.push('recovery_code');
    return methods;
  }

  /**
   * Checks what a passkey signed, before the transaction: it takes as long as the code of the library takes to load.
   *
   * @throws {FactorRefused} `invalid_factor`: it is forged, or belongs to another person than `userId`.
   */
  async checkPasskey(answer: PasskeyAnswer, userId?: string): Promise<PasskeyProof> {
    const { id } = answer;
    const found = typeof id === 'string' ? await this.passkeys.findByCredential(id) : undefined;
    const isTheirs = userId === undefined || found?.userId === userId;
    return this.party.checkSignature(answer, isTheirs ? found : undefined);
  }

  /**
   * Uses up a code, or a passkey that was checked. A person who shows a factor has not lost all of them, so a recovery
   * in progress ends.
   *
   * @throws {FactorRefused} `invalid_factor`
   * @throws {PasskeyCopied} when the counter of the passkey fell back.
   */
  async use(userId: string, code: string | undefined, passkey: PasskeyProof | undefined): Promise<Proven> {
    const method = passkey === undefined ? await this.useCode(userId, code ?? '') : await this.usePasskey(passkey);
    await this.recoveries.cancel(userId);
    return { userId, method };
  }

  private async usePasskey({ passkey, counter, challenge }: PasskeyProof): Promise<SecondFactorMethod> {
    if (!(await this.challenges.spend(challenge))) throw new FactorRefused();
    if (await this.passkeys.use(passkey.id, counter, this.clock.now())) return 'passkey';
    // It may have been removed meanwhile.
    throw (await this.passkeys.find(passkey.id)) === undefined ? new FactorRefused() : new PasskeyCopied(passkey);
  }

  /** Asks for both kinds of codes in any case, so that the time does not tell which ones exist. */
  private async useCode(userId: string, code: string): Promise<SecondFactorMethod> {
    const typed = code.replaceAll(/\s/g, '');
    const hasUsedStep = await this.totp.use(userId, typed);
    const hasUsedCode = await this.codes.use(userId, typed);
    if (hasUsedStep) return 'totp';
    if (!hasUsedCode) throw new FactorRefused();
    return 'recovery_code';
  }
}
