import { sign } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import type { IdpDescription } from './idp-description.js';
import { ASSERTION, HTTP_POST, PROTOCOL, RSA_SHA256 } from './saml-names.js';
import type { ServiceProvider } from './service-provider.js';
import { escapeXml } from './xml/escape-xml.js';

/** An `xs:ID`, in ASCII. */
const REQUEST_ID = /^[A-Za-z_][\w.-]{0,127}$/;

export interface AuthnRequest {
  readonly sp: ServiceProvider;
  readonly idp: Pick<IdpDescription, 'ssoUrl'>;
  /** Answers name it as `InResponseTo`. */
  readonly requestId: string;
  readonly now: Date;
}

/**
 * Returns the address that leads a browser to the provider with a signed request (SAML bindings, 3.4.4.1). The library
 * could build it too, but only by the clock of the process.
 *
 * @throws {Error} the request ID is none that XML allows, which is a fault of this service.
 */
export function authnRequestUrl({ sp, idp, requestId, now }: AuthnRequest): string {
  if (!REQUEST_ID.test(requestId)) throw new Error('The ID of a SAML request must be an XML name.');
  const request = deflateRawSync(xmlOf({ sp, idp, requestId, now })).toString('base64');
  const signed = `SAMLRequest=${encodeURIComponent(request)}&SigAlg=${encodeURIComponent(RSA_SHA256)}`;
  const signature = sign('sha256', Buffer.from(signed), sp.privateKey).toString('base64');
  // The provider verifies the octets that it gets, so that no library may encode the query again.
  const separator = idp.ssoUrl.includes('?') ? '&' : '?';
  return `${idp.ssoUrl}${separator}${signed}&Signature=${encodeURIComponent(signature)}`;
}

/** The provider chooses the format of the name, and how people prove who they are. */
function xmlOf({ sp, idp, requestId, now }: AuthnRequest): string {
  const attributes = {
    'xmlns:samlp': PROTOCOL,
    ID: requestId,
    Version: '2.0',
    IssueInstant: now.toISOString(),
    Destination: idp.ssoUrl,
    ProtocolBinding: HTTP_POST,
    AssertionConsumerServiceURL: sp.acsUrl,
  };
  const written = Object.entries(attributes).map(([name, value]) => `${name}="${escapeXml(value)}"`);
  const issuer = `<saml:Issuer xmlns:saml="${ASSERTION}">${escapeXml(sp.entityId)}</saml:Issuer>`;
  const policy = '<samlp:NameIDPolicy AllowCreate="true"/>';
  return `<samlp:AuthnRequest ${written.join(' ')}>${issuer}${policy}</samlp:AuthnRequest>`;
}
