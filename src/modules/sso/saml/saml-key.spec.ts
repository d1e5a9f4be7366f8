import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readCertificate } from './idp-certificate.js';
import { createSamlKey } from './saml-key.js';

describe('createSamlKey', () => {
  it('creates an RSA key with a certificate of its own for ten years', async () => {
    const now = new Date('2028-02-29T01:02:03Z');
    const { privateKey, certificate } = await createSamlKey('sso_1, O=x', now);
    expect(privateKey).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
    const parsed = new X509Certificate(certificate);
    expect(parsed.checkPrivateKey(createPrivateKey(privateKey))).toBe(true);
    expect(parsed.verify(parsed.publicKey)).toBe(true);
    expect(parsed.publicKey.asymmetricKeyDetails).toMatchObject({ modulusLength: 2_048, publicExponent: 65_537n });
    expect(parsed.ca).toBe(false);
    expect(new Date(parsed.validFrom)).toEqual(now);
    expect(readCertificate(certificate)).toMatchObject({
      subject: 'CN=sso_1\\, O=x',
      expiresAt: new Date('2038-03-01T01:02:03Z'),
    });
  });
});
