import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSecureContext, type SecureContext } from 'node:tls';
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Log } from '../../../../platform/logging/log.js';
import { Clock } from '../../../../platform/time/clock.js';
import { DatabasesSettings } from '../../databases.settings.js';
import { PublicAddress } from '../../domain/public-address.js';
import { DatabasesHome } from '../../home/databases-home.js';
import { type KeyAndCertificate, selfSignedCertificate } from './self-signed-certificate.js';

const OWN_CERTIFICATE_DAYS = 3_650;
const RENEW_BEFORE_MS = 30 * 86_400_000;
const LOOK_EVERY_MS = 10_000;

interface Loaded {
  readonly context: SecureContext;
  readonly sha256: string;
}

/** The certificate of this listener: the operator's, or one of our own that is kept in the data directory. */
@Injectable()
export class WireCertificate implements OnModuleInit, OnModuleDestroy {
  private loaded: Loaded | undefined;
  private stamp = '';
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly home: DatabasesHome,
    private readonly settings: DatabasesSettings,
    private readonly address: PublicAddress,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  get context(): SecureContext {
    return this.current.context;
  }

  /** The SHA-256 of the certificate, in hexadecimal digits, by which other processes of the service recognize it. */
  get sha256(): string {
    return this.current.sha256;
  }

  /** @throws {Error} when the operator's files do not fit. */
  async onModuleInit(): Promise<void> {
    const { certificateFile, keyFile } = this.settings;
    if ((certificateFile === undefined) !== (keyFile === undefined))
      throw new Error('DATABASES_TLS_CERT_FILE and DATABASES_TLS_KEY_FILE must be set together.');
    if (certificateFile === undefined || keyFile === undefined) {
      this.loaded = load(await this.own());
      return;
    }
    await this.read(certificateFile, keyFile);
    this.timer = setInterval(() => {
      // A certificate is replaced file by file, so a pair that does not fit is looked at again.
      this.read(certificateFile, keyFile).catch((error: unknown) => {
        this.log.error({ error }, 'The certificate of project databases cannot be read. The last one stays in use.');
      });
    }, LOOK_EVERY_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  private get current(): Loaded {
    if (this.loaded === undefined) throw new Error('The certificate is not loaded yet.');
    return this.loaded;
  }

  private async read(certificateFile: string, keyFile: string): Promise<void> {
    const times = await Promise.all([stat(certificateFile), stat(keyFile)]);
    const stamp = times.map(({ mtimeMs, size, ino }) => `${mtimeMs} ${size} ${ino}`).join();
    if (stamp === this.stamp) return;
    const [certificate, key] = await Promise.all([readFile(certificateFile, 'utf8'), readFile(keyFile, 'utf8')]);
    this.loaded = load({ certificate, key });
    this.stamp = stamp;
  }

  private async own(): Promise<KeyAndCertificate> {
    const home = this.openHome();
    const now = this.clock.now();
    const file = home === undefined ? undefined : join(home, 'wire-certificate.pem');
    const kept = file === undefined ? undefined : await readFile(file, 'utf8').catch(() => undefined);
    if (kept !== undefined && isValid(kept, new Date(now.getTime() + RENEW_BEFORE_MS)))
      return { key: kept, certificate: kept };

    const made = selfSignedCertificate(this.address.host, { now, days: OWN_CERTIFICATE_DAYS });
    if (file === undefined) return made;
    await writeFile(`${file}.new`, made.key + made.certificate, { mode: 0o600 });
    await rename(`${file}.new`, file);
    return made;
  }

  /** What else this process does goes on without databases, so that it starts nevertheless. */
  private openHome(): string | undefined {
    try {
      return this.home.open();
    } catch (error) {
      this.log.error({ error }, 'The directory of databases cannot be opened. Their certificate is not kept.');
      return undefined;
    }
  }
}

function load({ key, certificate }: KeyAndCertificate): Loaded {
  const first = new X509Certificate(certificate);
  if (!first.checkPrivateKey(createPrivateKey(key))) throw new Error('The key is not the one of the certificate.');
  return {
    context: createSecureContext({ key, cert: certificate, minVersion: 'TLSv1.2' }),
    sha256: createHash('sha256').update(first.raw).digest('hex'),
  };
}

function isValid(pem: string, at: Date): boolean {
  try {
    load({ key: pem, certificate: pem });
    return new Date(new X509Certificate(pem).validTo) > at;
  } catch {
    return false;
  }
}
