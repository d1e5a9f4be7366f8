import { callbackPathOf } from '../../identities/sign-in-source.js';

/** The addresses by which the provider of a connection knows this service. Each connection has its own. */
export const redirectUriOf = (publicUrl: string, connectionId: string): string =>
  `${publicUrl}${callbackPathOf({ provider: 'sso', connectionId })}`;

/** It is the entity ID as well, and serves our metadata. */
export const spMetadataUrlOf = (publicUrl: string, connectionId: string): string =>
  `${publicUrl}/sign-in/sso/${connectionId}/metadata`;

export const acsUrlOf = (publicUrl: string, connectionId: string): string =>
  `${publicUrl}/sign-in/sso/${connectionId}/acs`;
