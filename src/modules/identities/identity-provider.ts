import type { ExternalMethod } from '../auth/sign-in-method.js';
import type { CheckedIdentity } from './checked-identity.js';

/** What leads a person to a provider. */
export interface AuthorizationRequest {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  /** The challenge for the verifier that {@link ProviderAnswer} has. */
  readonly challenge: string;
}

/** What a provider sends back with the browser, and what was remembered for it. */
export interface ProviderAnswer {
  readonly code: string;
  /** The issuer that the answer names (RFC 9207). */
  readonly issuer: string | undefined;
  readonly redirectUri: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** A service that says who a person is. */
export abstract class IdentityProvider {
  abstract readonly name: ExternalMethod;

  /** False while the operator has not set it up. */
  abstract readonly isConfigured: boolean;

  /**
   * Returns the address at the provider where a person signs in.
   *
   * @throws {ProviderUnavailable}
   */
  abstract authorizationUrl(request: AuthorizationRequest): Promise<string>;

  /**
   * Exchanges the code, and returns who the person is. Nothing that the provider gives out is kept.
   *
   * @throws {ProviderRefused} what the provider says is not to be believed, or it refuses the code.
   * @throws {ProviderUnavailable}
   */
  abstract identify(answer: ProviderAnswer): Promise<CheckedIdentity>;
}

/** The provider refuses, or its answer is wrong. The message is for the log and never names a secret. */
export class ProviderRefused extends Error {}

/** The provider does not answer in time, or with nothing that can be read. */
export class ProviderUnavailable extends Error {}
