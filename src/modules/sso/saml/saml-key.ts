import { KeyObject, randomBytes, webcrypto } from 'node:crypto';
import 'reflect-metadata';
import { BasicConstraintsExtension, KeyUsageFlags, KeyUsagesExtension, X509CertificateGenerator } from '@peculiar/x509';

const YEARS = 10;
const ALGORITHM = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 2_048,
  publicExponent: new Uint8Array([1, 0, 1]),
};

export interface SamlKey {
  /** PEM, PKCS #8. */
  readonly privateKey: string;
  /** PEM. */
  readonly certificate: string;
}

/** Creates the key that signs the requests of a connection, with a self-signed certificate for ten years. */
export async function createSamlKey(commonName: string, now: Date): Promise<SamlKey> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const notAfter = new Date(now);
  notAfter.setUTCFullYear(notAfter.getUTCFullYear() + YEARS);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    // A serial number is positive, and unique for its issuer.
    serialNumber: `01${randomBytes(15).toString('hex')}`,
    name: [{ CN: [commonName] }],
    notBefore: now,
    notAfter,
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [new BasicConstraintsExtension(false), new KeyUsagesExtension(KeyUsageFlags.digitalSignature)],
  });
  const privateKey = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' });
  return { privateKey: privateKey.toString(), certificate: certificate.toString('pem') };
}
