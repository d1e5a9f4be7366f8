import { readCertificate } from './idp-certificate.js';
import { SamlMetadataRefused } from './saml-metadata-refused.js';

/** The limit of SAML core, 8.3.6. */
const MAX_ENTITY_ID = 1_024;
const MAX_URL = 2_048;
const MAX_CERTIFICATES = 10;
const OWN_PARAMETERS = ['SAMLRequest', 'RelayState', 'SigAlg', 'Signature'];

/** What must be known of a provider to send people there and to believe its answers. */
export interface IdpDescription {
  readonly entityId: string;
  /** Where requests are sent, by redirect. */
  readonly ssoUrl: string;
  /** PEM, one to ten. Some of them may have expired. */
  readonly certificates: readonly string[];
}

/**
 * Checks a description that was typed, or read from metadata.
 *
 * @throws {SamlMetadataRefused}
 */
export function checkedDescription({ entityId, ssoUrl, certificates }: IdpDescription): IdpDescription {
  if (entityId === '' || entityId.length > MAX_ENTITY_ID || /[\s\p{C}]/u.test(entityId))
    throw new SamlMetadataRefused(`The entity ID must have 1 to ${MAX_ENTITY_ID} characters and no spaces.`);
  const pems = [...new Set(certificates.map((text) => readCertificate(text).pem))];
  if (pems.length === 0)
    throw new SamlMetadataRefused('The provider has no certificate for signing. Add the one it signs with.');
  if (pems.length > MAX_CERTIFICATES)
    throw new SamlMetadataRefused(
      `The provider has ${pems.length} certificates, and ${MAX_CERTIFICATES} are allowed. Remove old ones.`,
    );
  return { entityId, ssoUrl: checkedUrl(ssoUrl), certificates: pems };
}

function checkedUrl(text: string): string {
  const url = text.length <= MAX_URL && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['https:', 'http:'].includes(url.protocol))
    throw new SamlMetadataRefused(`The sign-in URL must be an https URL of at most ${MAX_URL} characters.`);
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    throw new SamlMetadataRefused('The sign-in URL must have no user, password or fragment. Remove them.');
  if (OWN_PARAMETERS.some((name) => url.searchParams.has(name)))
    throw new SamlMetadataRefused(`The sign-in URL must not have the parameters ${OWN_PARAMETERS.join(', ')}.`);
  return url.href;
}
