import { webcrypto } from 'node:crypto';
import { PemConverter, X509CertificateGenerator } from '@peculiar/x509';

const ALGORITHM = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
const KEY = { ...ALGORITHM, modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1) };
const DAY_MS = 86_400_000;

/** Both in PEM. */
export interface RsaCertificate {
  readonly key: string;
  readonly certificate: string;
}

/** Makes an RSA key and a certificate for it, signed by that key, as the two sides of SAML exchange them. */
export async function rsaCertificate(commonName: string): Promise<RsaCertificate> {
  const keys = await webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      name: [{ CN: [commonName] }],
      notBefore: new Date(Date.now() - DAY_MS),
      notAfter: new Date(Date.now() + 365 * DAY_MS),
      signingAlgorithm: ALGORITHM,
      keys,
    },
    webcrypto,
  );
  const key = PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
  return { key: `${key}\n`, certificate: `${certificate.toString('pem')}\n` };
}
