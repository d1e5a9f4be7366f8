import { X509Certificate } from 'node:crypto';
import { SamlMetadataRefused } from './saml-metadata-refused.js';

const MAX_LENGTH = 20_000;
const MIN_BITS = 2_048;
const MAX_BITS = 8_192;
const MAX_SUBJECT = 255;
const BEGIN = '-----BEGIN CERTIFICATE-----';
const END = '-----END CERTIFICATE-----';

export interface IdpCertificate {
  /** Always in the same form for the same certificate. */
  readonly pem: string;
  /** The fingerprint as providers show it: `AB:CD:…`. */
  readonly sha256: string;
  readonly subject: string;
  readonly expiresAt: Date;
}

/**
 * Reads one certificate from PEM, or from base64 without the lines around it. Only RSA is accepted, because the library
 * can verify no other signatures of SAML. That it may have expired is for the caller to see.
 *
 * @throws {SamlMetadataRefused}
 */
export function readCertificate(text: string): IdpCertificate {
  const certificate = parsed(text);
  const { asymmetricKeyType, asymmetricKeyDetails } = keyOf(certificate);
  const bits = asymmetricKeyDetails?.modulusLength ?? 0;
  if (asymmetricKeyType !== 'rsa')
    throw new SamlMetadataRefused('The certificate has no RSA key. Configure RSA with SHA-256 at the provider.');
  if (bits < MIN_BITS || bits > MAX_BITS)
    throw new SamlMetadataRefused(
      `The RSA key of the certificate has ${bits} bits. Use ${MIN_BITS} to ${MAX_BITS} bits.`,
    );
  return {
    pem: certificate.toString(),
    sha256: certificate.fingerprint256,
    subject: certificate.subject
      .replace(/\n/g, ', ')
      .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
      .slice(0, MAX_SUBJECT),
    expiresAt: new Date(certificate.validTo),
  };
}

function parsed(text: string): X509Certificate {
  const unreadable = new SamlMetadataRefused('The certificate cannot be read. Send one X.509 certificate as PEM.');
  if (text.length > MAX_LENGTH) throw unreadable;
  const trimmed = text.trim();
  const isPem = trimmed.startsWith(BEGIN) && trimmed.endsWith(END);
  const base64 = (isPem ? trimmed.slice(BEGIN.length, -END.length) : trimmed).replace(/\s/g, '');
  const der = Buffer.from(base64, 'base64');
  if (der.length === 0 || der.toString('base64') !== base64) throw unreadable;
  try {
    const certificate = new X509Certificate(der);
    // Bytes behind the certificate would be lost.
    if (certificate.raw.equals(der)) return certificate;
  } catch {
    throw unreadable;
  }
  throw unreadable;
}

/** OpenSSL reads the key only when it is asked for. */
function keyOf(certificate: X509Certificate): X509Certificate['publicKey'] {
  try {
    return certificate.publicKey;
  } catch {
    throw new SamlMetadataRefused('The key of the certificate cannot be read. Use an RSA key.');
  }
}
