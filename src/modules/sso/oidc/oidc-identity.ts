import type { CheckedIdentity } from '../../identities/checked-identity.js';
import { ProviderRefused } from '../../identities/identity-provider.js';
import type { OidcClaims } from '../../identities/oidc-client.js';
import { emailOf, nameOf } from '../../identities/provider-fields.js';
import { groupsAmong, isClean, MAX_SUBJECT } from '../identities/identity-texts.js';
import type { AttributeMapping } from '../saml/saml-identity.js';

/**
 * Returns whom checked claims are about. The connection is the issuer, so that no connection can name people of another
 * one.
 *
 * @throws {ProviderRefused} there is no subject that can be stored.
 */
export function oidcIdentityOf(claims: OidcClaims, mapping: AttributeMapping, connectionId: string): CheckedIdentity {
  const subject = subjectOf(claims[mapping.subject ?? 'sub']);
  const email = emailClaimOf(claims, mapping);
  const name = claims[mapping.name ?? 'name'];
  return {
    provider: 'sso',
    issuer: connectionId,
    subject,
    name: nameOf(name, email?.address, subject),
    username: nameOf(email?.address.split('@')[0], claims['preferred_username'], name),
    ...(email === undefined ? {} : { email }),
    groups: groupsAmong([claims[mapping.groups ?? 'groups']].flat()),
  };
}

/** The subject is compared and never cleaned: cleaned, two people could become one. */
function subjectOf(value: unknown): string {
  if (typeof value !== 'string' || !isClean(value) || value.length > MAX_SUBJECT)
    throw new ProviderRefused('The ID token has no usable subject.');
  return value;
}

/** What the issuer has verified is the claim `email`, and no other that an administrator chooses. */
function emailClaimOf(claims: OidcClaims, mapping: AttributeMapping): CheckedIdentity['email'] {
  const name = mapping.email ?? 'email';
  return emailOf(claims[name], name === 'email' && claims['email_verified'] === true);
}
