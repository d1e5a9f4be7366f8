import { createHmac, hkdfSync, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/** About 128 MiB and half a second for each guess at the passphrase. */
const SCRYPT = { n: 2 ** 17, r: 8, p: 1 } as const;
/** Of a manifest that somebody may have changed: what it asks for costs memory before anything is checked. */
const MAX_SCRYPT_N = 2 ** 20;
const MIN_SCRYPT_N = 2 ** 15;
const KEY_BYTES = 32;
const HEX_OF_32_BYTES = /^[0-9a-f]{64}$/;
const FORMAT = 'aes-256-gcm-stream-64k';

/** What the manifest says of how a backup is encrypted: all but the passphrase that it takes to decrypt it. */
export interface Encryption {
  readonly format: typeof FORMAT;
  readonly kdf: {
    readonly name: 'scrypt';
    readonly n: number;
    readonly r: number;
    readonly p: number;
    readonly salt: string;
  };
  /** Tells a wrong passphrase from a damaged backup. */
  readonly keyCheck: string;
}

/** The keys of one backup. The slow step from the passphrase is taken once; each file has a key of its own. */
export class BackupKeys {
  private constructor(
    private readonly main: Buffer,
    readonly encryption: Encryption,
  ) {}

  /** For a new backup. */
  static async create(passphrase: string): Promise<BackupKeys> {
    const kdf = { name: 'scrypt', ...SCRYPT, salt: randomBytes(KEY_BYTES).toString('hex') } as const;
    const main = await derive(passphrase, kdf);
    return new BackupKeys(main, { format: FORMAT, kdf, keyCheck: keyCheckOf(main).toString('hex') });
  }

  /** Of a backup that is there. @throws {Error} when the passphrase is another, or this release cannot know. */
  static async open(passphrase: string, encryption: Encryption): Promise<BackupKeys> {
    requireSupported(encryption);
    const main = await derive(passphrase, encryption.kdf);
    if (!timingSafeEqual(keyCheckOf(main), Buffer.from(encryption.keyCheck, 'hex'))) {
      throw new Error(
        'BACKUP_PASSPHRASE is not the passphrase that the backup was encrypted with. Nothing was restored.',
      );
    }
    return new BackupKeys(main, encryption);
  }

  /** Of the file that lies at `path` in the backup: the bytes of one file decrypt as no other. */
  fileKey(path: string, salt: Buffer): Buffer {
    return subkey(this.main, `file ${path}`, salt);
  }

  /** Shows that a text was written by somebody who has the passphrase. */
  macOf(text: string): string {
    return createHmac('sha256', subkey(this.main, 'manifest')).update(text).digest('hex');
  }

  isMacOf(text: string, mac: unknown): boolean {
    return (
      typeof mac === 'string' &&
      HEX_OF_32_BYTES.test(mac) &&
      timingSafeEqual(Buffer.from(mac, 'hex'), Buffer.from(this.macOf(text), 'hex'))
    );
  }
}

function requireSupported({ format, kdf, keyCheck }: { readonly [name in keyof Encryption]?: unknown }): void {
  const { name, n, r, p, salt } = (kdf ?? {}) as { readonly [name: string]: unknown };
  const isKnown =
    format === FORMAT &&
    name === 'scrypt' &&
    r === SCRYPT.r &&
    p === SCRYPT.p &&
    typeof n === 'number' &&
    Number.isInteger(Math.log2(n)) &&
    n >= MIN_SCRYPT_N &&
    n <= MAX_SCRYPT_N &&
    [salt, keyCheck].every((text) => typeof text === 'string' && HEX_OF_32_BYTES.test(text));
  if (!isKnown)
    throw new Error(
      'The backup is encrypted in a way that this release does not know. Restore with the release that made it.',
    );
}

/** The same letters can be typed as different bytes on different machines, so the passphrase is normalized. */
async function derive(passphrase: string, { n, r, p, salt }: Encryption['kdf']): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { N: n, r, p, maxmem: 2 * 128 * n * r };
    scrypt(passphrase.normalize('NFC'), Buffer.from(salt, 'hex'), KEY_BYTES, options, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}

const keyCheckOf = (main: Buffer): Buffer => subkey(main, 'check');

const subkey = (main: Buffer, purpose: string, salt: Buffer = Buffer.alloc(0)): Buffer =>
  Buffer.from(hkdfSync('sha256', main, salt, `service-platform backup: ${purpose}`, KEY_BYTES));
