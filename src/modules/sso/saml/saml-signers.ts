import { verify, X509Certificate } from 'node:crypto';
import { SIGNATURE } from './saml-names.js';
import { SamlRefused } from './saml-refused.js';
import { SIGNATURE_METHODS } from './signature-methods.js';
import { canonicalXml } from './xml/canonical-xml.js';
import type { XmlElement } from './xml/xml-element.js';

/**
 * Returns those of the certificates whose keys have made these signatures, so that nobody else can keep the library
 * busy: it reads the document again and again for each certificate. What the signatures are over is not looked at.
 *
 * A certificate that has expired does not count. Its key is pinned and would verify as well as before, but a date that
 * nobody enforces is of no use, and the organization is warned in time.
 *
 * @throws {SamlRefused} `signature_invalid`, `certificate_expired`
 */
export function signersOf(signatures: readonly XmlElement[], certificates: readonly string[], now: Date): string[] {
  const known = certificates.map((pem) => new X509Certificate(pem));
  const signers = signatures.flatMap((signature) => {
    const found = known.filter((certificate) => hasSigned(certificate, signature));
    const current = found.find(({ validTo }) => new Date(validTo) > now);
    if (current === undefined) throw new SamlRefused(found.length > 0 ? 'certificate_expired' : 'signature_invalid');
    return current.toString();
  });
  return [...new Set(signers)];
}

function hasSigned({ publicKey }: X509Certificate, signature: XmlElement): boolean {
  const [info] = signature.all(SIGNATURE, 'SignedInfo');
  const [value] = signature.all(SIGNATURE, 'SignatureValue');
  const algorithm = info?.all(SIGNATURE, 'SignatureMethod')[0]?.attribute('Algorithm');
  const method = SIGNATURE_METHODS.get(algorithm ?? '');
  if (info === undefined || value === undefined || method === undefined || publicKey.asymmetricKeyType !== 'rsa')
    return false;
  const { hash, ...padding } = method;
  const bytes = Buffer.from(value.text ?? '', 'base64');
  return verify(hash, Buffer.from(canonicalXml(info)), { key: publicKey, ...padding }, bytes);
}
