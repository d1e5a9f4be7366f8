import { checkedDescription, type IdpDescription } from './idp-description.js';
import { readInstant } from './saml-assertion.js';
import { SamlMetadataRefused } from './saml-metadata-refused.js';
import { HTTP_REDIRECT, METADATA, PROTOCOL, SIGNATURE } from './saml-names.js';
import { readXml, type XmlFault, XmlRefused } from './xml/read-xml.js';
import type { XmlElement } from './xml/xml-element.js';

const MAX_BYTES = 262_144;
const MAX_ELEMENTS = 5_000;

const FAULTS: Readonly<Record<XmlFault, string>> = {
  malformed: 'The metadata is not well-formed XML. Download it from the provider again.',
  encoding: 'The metadata is not in UTF-8. Convert it.',
  doctype: 'The metadata has a document type or entities, which are not accepted. Remove them.',
  comment: 'The metadata has comments, which are not accepted. Remove them.',
  markup: 'The metadata has processing instructions or CDATA, which are not accepted. Remove them.',
  too_complex: 'The metadata has too many elements. Use metadata of one provider alone.',
};

/**
 * Reads the metadata document of one identity provider. Its own signature is not verified: an administrator vouches for
 * the document by uploading it, or by naming the address it comes from.
 *
 * @throws {SamlMetadataRefused}
 */
export function readIdpMetadata(xml: string, now: Date): IdpDescription {
  if (Buffer.byteLength(xml) > MAX_BYTES)
    throw new SamlMetadataRefused('The metadata is larger than 256 KiB. Use metadata of one provider alone.');
  const root = parsed(xml.replace(/^\uFEFF/, '').trimStart());
  const entity = onlyEntity(root);
  const provider = onlyProvider(entity);
  for (const element of new Set([root, entity, provider])) requireCurrent(element, now);
  return checkedDescription({
    entityId: entity.attribute('entityID') ?? '',
    ssoUrl: redirectUrlOf(provider),
    certificates: certificatesOf(provider),
  });
}

function parsed(xml: string): XmlElement {
  try {
    return readXml(xml, { allowComments: true, maxElements: MAX_ELEMENTS });
  } catch (error) {
    throw error instanceof XmlRefused ? new SamlMetadataRefused(FAULTS[error.fault]) : error;
  }
}

/** Metadata of a federation would leave open who is meant. */
function onlyEntity(root: XmlElement): XmlElement {
  const entities = [...root.subtree()].filter((element) => element.is(METADATA, 'EntityDescriptor'));
  const [entity] = entities;
  const isRoot = root.is(METADATA, 'EntityDescriptor') || root.is(METADATA, 'EntitiesDescriptor');
  if (!isRoot || entity === undefined)
    throw new SamlMetadataRefused('This is not SAML metadata. Download the metadata XML of the identity provider.');
  if (entities.length > 1)
    throw new SamlMetadataRefused(`The metadata has ${entities.length} entities. Use metadata of one provider alone.`);
  return entity;
}

function onlyProvider(entity: XmlElement): XmlElement {
  const [provider, ...others] = entity
    .all(METADATA, 'IDPSSODescriptor')
    .filter((each) => (each.attribute('protocolSupportEnumeration') ?? '').split(' ').includes(PROTOCOL));
  if (provider === undefined || others.length > 0)
    throw new SamlMetadataRefused(
      'The metadata must have one identity provider for SAML 2.0. Download it from the provider, not from an app.',
    );
  return provider;
}

function requireCurrent(element: XmlElement, now: Date): void {
  const validUntil = element.attribute('validUntil');
  if (validUntil === undefined) return;
  const instant = readInstant(validUntil);
  if (instant === undefined || instant <= now)
    throw new SamlMetadataRefused('The metadata has expired. Download it from the provider again.');
}

function redirectUrlOf(provider: XmlElement): string {
  const service = provider
    .all(METADATA, 'SingleSignOnService')
    .find((each) => each.attribute('Binding') === HTTP_REDIRECT);
  if (service === undefined)
    throw new SamlMetadataRefused('The provider takes no requests by HTTP-Redirect. Enable this binding there.');
  return service.attribute('Location') ?? '';
}

/**
 * A key without a use is for both. Further certificates beside the first are its chain: an issuer of a certificate may
 * not sign in its place.
 */
function certificatesOf(provider: XmlElement): string[] {
  return provider
    .all(METADATA, 'KeyDescriptor')
    .filter((key) => (key.attribute('use') ?? 'signing') === 'signing')
    .flatMap((key) => key.all(SIGNATURE, 'KeyInfo'))
    .flatMap((info) => info.all(SIGNATURE, 'X509Data'))
    .flatMap((data) => data.all(SIGNATURE, 'X509Certificate').slice(0, 1))
    .map((certificate) => certificate.text ?? '');
}
