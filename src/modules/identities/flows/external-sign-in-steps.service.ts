import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { SecretHasher } from '../../auth/secret-hasher.js';
import { CODE_LIFETIME_MS } from '../domain/flow-lifetimes.js';
import { challengeOf, createVerifier } from '../domain/proof-key.js';
import { withResult } from '../domain/return-place.js';
import { ExternalSignInInvalid, ProviderNotResponding } from '../identities.errors.js';
import { ProviderMetrics, type ProviderResult } from '../metrics/provider.metrics.js';
import { ExternalSignInsStore, type TakenAnswer } from '../persistence/external-sign-ins.store.js';
import { type IdentityProvider, ProviderRefused, ProviderUnavailable } from '../identity-provider.js';
import { IdentityProviders } from '../providers/identity-providers.js';
import { callbackPathOf, type SignInSource } from '../sign-in-source.js';

/** What a provider sends back in the address of the callback. Each is checked to be a text of a bounded length. */
export interface ProviderReply {
  readonly state: string | undefined;
  readonly code: string | undefined;
  readonly error: string | undefined;
  readonly issuer: string | undefined;
}

export interface Started {
  readonly location: string;
  /** The secret of the browser, for its cookie. */
  readonly browser: string;
}

/** The results that a sign-in returns with instead of a code. */
const ERRORS = {
  denied: 'access_denied',
  refused: 'provider_refused',
  unavailable: 'provider_unavailable',
} as const satisfies Record<Exclude<ProviderResult, 'accepted'>, string>;

/**
 * The steps of a sign-in that a browser takes: to the provider, back from it, and to where the sign-in began. A cookie
 * shows that all of them are those of one browser.
 */
@Injectable()
export class ExternalSignInStepsService {
  constructor(
    private readonly config: Config,
    private readonly signIns: ExternalSignInsStore,
    private readonly providers: IdentityProviders,
    private readonly hasher: SecretHasher,
    private readonly metrics: ProviderMetrics,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /**
   * Leads a browser to the provider. Another browser than the first cannot go there with the same sign-in.
   *
   * @param cookie the secret of this browser, if it has begun before.
   * @throws {ExternalSignInInvalid} `invalid_flow`
   * @throws {ProviderNotConfigured} `integration_not_configured`
   * @throws {ProviderNotResponding} `upstream_error`
   */
  async start(id: string, cookie: string | undefined): Promise<Started> {
    const browsers = this.hashesOf(cookie);
    const source = await this.signIns.findStartable(id, browsers, this.clock.now());
    if (source === undefined) throw new ExternalSignInInvalid();
    const [browser, state, nonce] = [this.createSecret(), this.createSecret(), createVerifier()];
    const verifier = createVerifier();
    const location = await this.locationAt(source, { state, nonce, verifier });
    const secrets = {
      browserHash: this.hasher.hash(browser).hash,
      stateHash: this.hasher.hash(state).hash,
      nonce,
      verifier,
    };
    if (!(await this.signIns.start(id, secrets, { browsers, now: this.clock.now() })))
      throw new ExternalSignInInvalid();
    return { location, browser };
  }

  /**
   * Takes the answer of a provider, once, and keeps who the person is. Whose browser this is shows in {@link finish}.
   *
   * @returns the id of the sign-in.
   * @throws {ExternalSignInInvalid} `invalid_flow`
   */
  async answer(source: SignInSource, reply: ProviderReply): Promise<string> {
    const provider = await this.providers.get(source);
    const taken = await this.signIns.take(this.hashesOf(reply.state), source, this.clock.now());
    if (taken === undefined) throw new ExternalSignInInvalid();
    const result = await this.resultOf(provider, this.redirectUriOf(source), reply, taken);
    this.metrics.answer(source.provider, result);
    if (result !== 'accepted') await this.signIns.keepRefusal(taken.id, ERRORS[result]);
    return taken.id;
  }

  /**
   * Returns where the browser that began goes on: to where the sign-in began, with a code that counts once within a
   * minute, or with an error.
   *
   * @throws {ExternalSignInInvalid} `invalid_flow`
   */
  async finish(id: string, cookie: string | undefined): Promise<string> {
    const code = this.createSecret();
    const now = this.clock.now();
    const finished = await this.signIns.finish(id, this.hashesOf(cookie), {
      codeHash: this.hasher.hash(code).hash,
      now,
      codeExpiresAt: new Date(now.getTime() + CODE_LIFETIME_MS),
    });
    if (finished === undefined) throw new ExternalSignInInvalid();
    const { returnTo, refusal } = finished;
    return refusal === null ? withResult(returnTo, 'code', code) : withResult(returnTo, 'error', refusal);
  }

  private async locationAt(
    source: SignInSource,
    { state, nonce, verifier }: { state: string; nonce: string; verifier: string },
  ): Promise<string> {
    const provider = await this.providers.get(source);
    try {
      const challenge = challengeOf(verifier);
      return await provider.authorizationUrl({ redirectUri: this.redirectUriOf(source), state, nonce, challenge });
    } catch (error) {
      if (!(error instanceof ProviderUnavailable)) throw error;
      this.log.warn({ error, provider: provider.name }, 'An identity provider does not respond.');
      throw new ProviderNotResponding(provider.name, error);
    }
  }

  private async resultOf(
    provider: IdentityProvider,
    redirectUri: string,
    { code, error: denial, issuer }: ProviderReply,
    { id, nonce, verifier }: TakenAnswer,
  ): Promise<ProviderResult> {
    if (code === undefined || denial !== undefined) return denial === 'access_denied' ? 'denied' : 'refused';
    try {
      const identity = await provider.identify({ code, issuer, redirectUri, nonce, verifier });
      await this.signIns.keepIdentity(id, identity);
      return 'accepted';
    } catch (error) {
      if (!(error instanceof ProviderRefused) && !(error instanceof ProviderUnavailable)) throw error;
      this.log.warn({ error, provider: provider.name }, 'An identity provider did not say who a person is.');
      return error instanceof ProviderRefused ? 'refused' : 'unavailable';
    }
  }

  private redirectUriOf(source: SignInSource): string {
    return `${this.config.publicUrl}${callbackPathOf(source)}`;
  }

  private createSecret(): string {
    return this.hasher.createToken('flow');
  }

  private hashesOf(secret: string | undefined): Buffer[] {
    return secret === undefined ? [] : this.hasher.hashes(secret);
  }
}
