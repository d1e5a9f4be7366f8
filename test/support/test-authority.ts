import { webcrypto } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  BasicConstraintsExtension,
  type JsonGeneralName,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 86_400_000;

type Keys = Awaited<ReturnType<typeof newKeys>>;

/** Paths of files in PEM. */
export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

/** An authority for the certificates of test servers and their clients, whose files lie in `directory`. */
export class TestAuthority {
  private serial = 1;

  private constructor(
    private readonly directory: string,
    private readonly keys: Keys,
    private readonly name: string,
  ) {}

  static async create(directory: string, name = 'test-authority'): Promise<TestAuthority> {
    const authority = new TestAuthority(directory, await newKeys(), name);
    const certificate = await X509CertificateGenerator.createSelfSigned(
      {
        name: [{ CN: [name] }],
        serialNumber: '01',
        ...lifetime(),
        signingAlgorithm: ALGORITHM,
        keys: authority.keys,
        extensions: [new BasicConstraintsExtension(true, undefined, true)],
      },
      webcrypto,
    );
    writeFileSync(authority.file, certificate.toString('pem'));
    chmodSync(authority.file, 0o644);
    return authority;
  }

  /** Its own certificate. */
  get file(): string {
    return join(this.directory, `${this.name}.pem`);
  }

  async issue(name: string, alternatives: JsonGeneralName[]): Promise<CertificateFiles> {
    const keys = await newKeys();
    const certificate = await X509CertificateGenerator.create(
      {
        subject: [{ CN: [name] }],
        issuer: [{ CN: [this.name] }],
        serialNumber: String(++this.serial).padStart(2, '0'),
        ...lifetime(),
        signingAlgorithm: ALGORITHM,
        signingKey: this.keys.privateKey,
        publicKey: keys.publicKey,
        extensions: alternatives.length === 0 ? [] : [new SubjectAlternativeNameExtension(alternatives)],
      },
      webcrypto,
    );
    const files = { certificate: join(this.directory, `${name}.crt`), key: join(this.directory, `${name}.key`) };
    writeFileSync(files.certificate, certificate.toString('pem'));
    const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
    writeFileSync(files.key, `${PemConverter.encode(key, 'PRIVATE KEY')}\n`, { mode: 0o600 });
    return files;
  }
}

const newKeys = () => webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);

const lifetime = (): { notBefore: Date; notAfter: Date } => ({
  notBefore: new Date(Date.now() - DAY_MS),
  notAfter: new Date(Date.now() + 365 * DAY_MS),
});
