import type { ExternalMethod, ProviderName } from '../auth/sign-in-method.js';

/** Where a person signs in: at a provider of the operator, or through the connection of an organization. */
export type SignInSource =
  | { readonly provider: ProviderName; readonly connectionId?: undefined }
  | { readonly provider: 'sso'; readonly connectionId: string };

/** Reads it from a row, whose constraints say that SSO has a connection and nothing else has. */
export const sourceOf = (provider: ExternalMethod, connectionId: string | null): SignInSource =>
  provider === 'sso' ? { provider, connectionId: connectionId! } : { provider };

/** The address that the answer comes to. Each source has its own, so that one never ends a sign-in at another. */
export const callbackPathOf = ({ provider, connectionId }: SignInSource): string =>
  provider === 'sso' ? `/sign-in/sso/${connectionId}/callback` : `/sign-in/callback/${provider}`;
