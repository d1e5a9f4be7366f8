import type { ExternalMethod } from '../auth/sign-in-method.js';

/** What a provider has said of a person, checked. Only provider, issuer and subject say who it is. */
export interface CheckedIdentity {
  readonly provider: ExternalMethod;
  /**
   * The URL of the provider, such as `https://accounts.google.com`. For SSO it is the id of the connection, so that no
   * connection can name people of another one.
   */
  readonly issuer: string;
  /** The id of the person there, which never changes and is never given to another person. */
  readonly subject: string;
  /** How the person recognizes the identity: a login or an email address. */
  readonly name: string;
  /** A text to derive a username from. */
  readonly username: string;
  /** Absent when the provider gives none. */
  readonly email?: { readonly address: string; readonly verified: boolean };
  /** The groups of the person, from an SSO connection. */
  readonly groups?: readonly string[];
}

/** The keys by which an account is found. */
export type IdentityKey = Pick<CheckedIdentity, 'provider' | 'issuer' | 'subject'>;
