import type { ProviderName } from '../../auth/sign-in-method.js';

/** What a provider has said of a person, checked. Only provider, issuer and subject say who it is. */
export interface CheckedIdentity {
  readonly provider: ProviderName;
  /** The URL of the provider, such as `https://accounts.google.com`. */
  readonly issuer: string;
  /** The id of the person there, which never changes and is never given to another person. */
  readonly subject: string;
  /** How the person recognizes the identity: a login or an email address. */
  readonly name: string;
  /** A text to derive a username from. */
  readonly username: string;
  /** Absent when the provider gives none. */
  readonly email?: { readonly address: string; readonly verified: boolean };
}

/** The keys by which an account is found. */
export type IdentityKey = Pick<CheckedIdentity, 'provider' | 'issuer' | 'subject'>;
