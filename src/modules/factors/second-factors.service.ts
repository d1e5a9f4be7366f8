import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { type AttemptRule, AttemptsService } from '../auth/attempts.service.js';
import type { SecondFactorMethod } from '../auth/sign-in-method.js';
import { LimitExceeded, TooManyAttempts } from '../limits/limits.errors.js';
import { FactorProofs, type Proven } from './checks/factor-proofs.js';
import { PasskeyCopied } from './checks/passkey-copied.js';
import { FactorHistory } from './history/factor-history.js';
import { type AttemptResult, SecondFactorMetrics } from './metrics/second-factor.metrics.js';
import {
  type PasskeyAnswer,
  type PublicKeyCredentialRequestOptionsJSON,
  RelyingParty,
} from './passkeys/relying-party.js';
import { FactorRefused } from './factors.errors.js';

export type { PasskeyAnswer, Proven, PublicKeyCredentialRequestOptionsJSON };

/** What a person shows: the code of an app, a recovery code, or what a passkey signed. */
export interface ShownFactor {
  readonly code?: string | undefined;
  readonly passkey?: PasskeyAnswer | undefined;
}

const RULE: AttemptRule = { name: 'second_factor', attempts: 5, periodSeconds: 300, Refusal: TooManyAttempts };
/** A caller who signs in with a passkey alone has named no account. */
const ADDRESS_RULE: AttemptRule = {
  name: 'passkey_address',
  attempts: 30,
  periodSeconds: 900,
  Refusal: TooManyAttempts,
};

/** Checks second factors, wherever a person shows one. */
@Injectable()
export class SecondFactorsService {
  constructor(
    private readonly database: Database,
    private readonly proofs: FactorProofs,
    private readonly party: RelyingParty,
    private readonly attempts: AttemptsService,
    private readonly history: FactorHistory,
    private readonly metrics: SecondFactorMetrics,
  ) {}

  /** Returns what the person can show, empty without a second factor. */
  methodsOf(userId: string): Promise<SecondFactorMethod[]> {
    return this.proofs.methodsOf(userId);
  }

  /** What a browser asks a passkey to sign. It is the same for everybody, but for the challenge. */
  requestOptions(): Promise<PublicKeyCredentialRequestOptionsJSON> {
    return this.party.requestOptions();
  }

  /**
   * Runs `work` in one transaction with the use of a factor, so that the factor is used up exactly when the work is
   * done. A person has five attempts within five minutes, in all processes together.
   *
   * @param lock what the transaction locks first, before the rows of factors.
   * @throws {FactorRefused} `invalid_factor`
   * @throws {TooManyAttempts} `burst_limit_exceeded`
   */
  prove<T>(
    userId: string,
    shown: ShownFactor,
    work: (proven: Proven) => Promise<T>,
    lock?: () => Promise<void>,
  ): Promise<T> {
    return this.counted(methodOf(shown), async () => {
      await this.attempts.count(RULE, userId);
      const passkey = shown.passkey && (await this.proofs.checkPasskey(shown.passkey, userId));
      return this.database.transaction(async () => {
        await lock?.();
        return work(await this.proofs.use(userId, shown.code, passkey));
      });
    });
  }

  /**
   * {@link prove} for a caller who shows a passkey and nothing else. It tells who it is.
   *
   * @throws {FactorRefused} `invalid_factor`
   * @throws {TooManyAttempts} `burst_limit_exceeded`
   */
  provePasskey<T>(answer: PasskeyAnswer, ip: string, work: (proven: Proven) => Promise<T>): Promise<T> {
    return this.counted('passkey', async () => {
      await this.attempts.countAddress(ADDRESS_RULE, ip);
      const proof = await this.proofs.checkPasskey(answer);
      return this.database.transaction(async () => work(await this.proofs.use(proof.passkey.userId, undefined, proof)));
    });
  }

  /** Not in the transaction of the call, which is rolled back. */
  private recordCopied(copied: PasskeyCopied): Promise<void> {
    return this.database.apart(() => this.database.transaction(() => this.history.recordCopied(copied)));
  }

  private async counted<T>(method: SecondFactorMethod, attempt: () => Promise<T>): Promise<T> {
    try {
      const result = await attempt();
      this.metrics.attempt(method, 'succeeded');
      return result;
    } catch (error) {
      if (error instanceof PasskeyCopied) await this.recordCopied(error);
      const failed = resultOf(error);
      if (failed !== undefined) this.metrics.attempt(method, failed);
      throw error instanceof PasskeyCopied ? new FactorRefused() : error;
    }
  }
}

/** A code of six digits comes from an app. Recovery codes are longer. */
const methodOf = ({ code, passkey }: ShownFactor): SecondFactorMethod => {
  if (passkey !== undefined) return 'passkey';
  return code !== undefined && /^\d{6}$/.test(code) ? 'totp' : 'recovery_code';
};

function resultOf(error: unknown): AttemptResult | undefined {
  if (error instanceof PasskeyCopied) return 'copied';
  if (error instanceof LimitExceeded) return 'limited';
  return error instanceof FactorRefused ? 'refused' : undefined;
}
