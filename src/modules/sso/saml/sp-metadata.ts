import { HTTP_POST, METADATA, NAME_ID_FORMATS, PROTOCOL, SIGNATURE } from './saml-names.js';
import type { ServiceProvider } from './service-provider.js';
import { escapeXml } from './xml/escape-xml.js';

/**
 * Returns the metadata that a provider reads to know a connection. It names no key for encryption, because encrypted
 * assertions are not supported: TLS carries them.
 */
export function spMetadataOf({
  entityId,
  acsUrl,
  certificate,
}: Pick<ServiceProvider, 'entityId' | 'acsUrl' | 'certificate'>): string {
  const base64 = certificate.replace(/-----[A-Z ]+-----|\s/g, '');
  return `<?xml version="1.0" encoding="UTF-8"?>
<md:EntityDescriptor xmlns:md="${METADATA}" xmlns:ds="${SIGNATURE}" entityID="${escapeXml(entityId)}">
  <md:SPSSODescriptor protocolSupportEnumeration="${PROTOCOL}" AuthnRequestsSigned="true" WantAssertionsSigned="true">
    <md:KeyDescriptor use="signing">
      <ds:KeyInfo>
        <ds:X509Data>
          <ds:X509Certificate>${base64}</ds:X509Certificate>
        </ds:X509Data>
      </ds:KeyInfo>
    </md:KeyDescriptor>
    <md:NameIDFormat>${NAME_ID_FORMATS.persistent}</md:NameIDFormat>
    <md:NameIDFormat>${NAME_ID_FORMATS.emailAddress}</md:NameIDFormat>
    <md:AssertionConsumerService Binding="${HTTP_POST}" Location="${escapeXml(acsUrl)}" index="0" isDefault="true"/>
  </md:SPSSODescriptor>
</md:EntityDescriptor>
`;
}
