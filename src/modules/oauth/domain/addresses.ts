/** The resource that access tokens are issued for, and the only one. */
export const mcpResourceOf = (publicUrl: string): string => `${publicUrl}/mcp`;

/** Where a client learns which authorization server issues its tokens (RFC 9728). */
export const resourceMetadataOf = (publicUrl: string): string =>
  `${publicUrl}/.well-known/oauth-protected-resource/mcp`;

export const CONSENT_PATH = '/oauth/consent';
