import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { Ids } from '../../platform/ids/ids.js';
import { Clock } from '../../platform/time/clock.js';
import { type AttemptRule, AttemptsService } from '../auth/attempts.service.js';
import { SecretHasher } from '../auth/secret-hasher.js';
import type { ProviderName } from '../auth/sign-in-method.js';
import { tokenKindOf } from '../auth/token-format.js';
import { TooManyAttempts } from '../limits/limits.errors.js';
import type { CheckedIdentity } from './checked-identity.js';
import { FLOW_LIFETIME_MS } from './domain/flow-lifetimes.js';
import { answers } from './domain/proof-key.js';
import { returnPlaceOf } from './domain/return-place.js';
import { ReturnPlaceRefused } from './domain/return-place-refused.js';
import { ExternalSignInInvalid } from './identities.errors.js';
import { EXTERNAL_SIGN_IN_ID } from './identities.ids.js';
import { ExternalSignInsStore } from './persistence/external-sign-ins.store.js';
import { IdentityProviders } from './providers/identity-providers.js';
import type { SignInSource } from './sign-in-source.js';

export interface BeginSignInInput {
  readonly source: SignInSource;
  /** Where the browser returns to with a code: a page of the dashboard, or a program on the machine of the person. */
  readonly returnTo: string;
  /** The SHA-256 of a verifier that only the beginner knows, as base64url. */
  readonly challenge: string;
  /** The person who connects an identity, and undefined for a sign-in. */
  readonly userId?: string;
}

export interface BegunSignIn {
  readonly id: string;
  /** The address that the browser of the person opens. */
  readonly authorizeUrl: string;
  readonly expiresAt: Date;
}

/** What the beginner of a sign-in shows to complete it. */
export interface ShownCode {
  readonly id: string;
  readonly code: string;
  readonly verifier: string;
}

const PLACES = 'a page of the dashboard, or http://127.0.0.1:<port>/… for a program';
const RULE: AttemptRule = {
  name: 'external_sign_in',
  attempts: 30,
  periodSeconds: 900,
  Refusal: TooManyAttempts,
};

/** Sign-ins through providers, as those who begin and complete them see them. */
@Injectable()
export class ExternalSignInsService {
  private readonly origins: readonly string[];

  constructor(
    private readonly config: Config,
    private readonly signIns: ExternalSignInsStore,
    private readonly providers: IdentityProviders,
    private readonly hasher: SecretHasher,
    private readonly attempts: AttemptsService,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {
    this.origins = [config.dashboardUrl, config.publicUrl].map((url) => new URL(url).origin);
  }

  /** The providers that people can sign in through. */
  listProviders(): ProviderName[] {
    return this.providers.list();
  }

  /**
   * Begins a sign-in that ends within ten minutes.
   *
   * @throws {ProviderNotConfigured} `integration_not_configured`
   * @throws {SsoConnectionNotFound} `sso_connection_not_found`
   * @throws {RequestInvalid} `invalid_request`: a sign-in may not return there.
   * @throws {TooManyAttempts} `burst_limit_exceeded`
   */
  async begin({ source, returnTo, challenge, userId }: BeginSignInInput, ip: string): Promise<BegunSignIn> {
    await this.providers.get(source);
    const place = returnPlaceOf(returnTo, this.origins);
    if (place === undefined) throw new ReturnPlaceRefused(PLACES);
    await this.attempts.countAddress(RULE, ip);
    const id = this.ids.next(EXTERNAL_SIGN_IN_ID);
    const createdAt = this.clock.now();
    const expiresAt = new Date(createdAt.getTime() + FLOW_LIFETIME_MS);
    await this.signIns.insert({
      id,
      source,
      userId: userId ?? null,
      returnTo: place,
      challenge,
      createdAt,
      expiresAt,
    });
    return { id, authorizeUrl: `${this.config.publicUrl}/sign-in/${id}`, expiresAt };
  }

  /**
   * Returns who has signed in, without using the code up, so that what is slow can be done before the transaction.
   *
   * @param userId the person who connects an identity, and undefined for a sign-in.
   * @throws {ExternalSignInInvalid} `invalid_flow`
   */
  async peek({ id, code, verifier }: ShownCode, userId?: string): Promise<CheckedIdentity> {
    const found =
      tokenKindOf(code) === 'flow'
        ? await this.signIns.findByCode(id, this.hasher.hashes(code), this.clock.now())
        : undefined;
    // A code that leaks on its way is of no use to those who did not begin.
    if (found === undefined || !answers(verifier, found.challenge) || found.userId !== (userId ?? null))
      throw new ExternalSignInInvalid();
    return found.identity;
  }

  /**
   * Uses the code up in the running transaction. Of several calls at once, in all processes, one succeeds.
   *
   * @throws {ExternalSignInInvalid} `invalid_flow`
   */
  async redeem(shown: ShownCode, userId?: string): Promise<CheckedIdentity> {
    const identity = await this.peek(shown, userId);
    if (!(await this.signIns.delete(shown.id))) throw new ExternalSignInInvalid();
    return identity;
  }
}
