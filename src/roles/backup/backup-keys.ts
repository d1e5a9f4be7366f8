import { createHmac, hkdfSync, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/** About 128 MiB and half a second for each guess at the passphrase. */
const SCRYPT = { n: 2 ** 17, r: 8, p: 1 } as const;
/** Limits for a manifest, which may be forged: deriving the key costs memory before anything can be verified. */
const MAX_SCRYPT_N = 2 ** 20;
const MIN_SCRYPT_N = 2 ** 15;
const KEY_BYTES = 32;
const HEX_OF_32_BYTES = /^[0-9a-f]{64}$/;
const FORMAT = 'aes-256-gcm-stream-64k';

/** The parameters of the encryption in the manifest: everything but the passphrase. */
export interface Encryption {
  readonly format: typeof FORMAT;
  readonly kdf: {
    readonly name: 'scrypt';
    readonly n: number;
    readonly r: number;
    readonly p: number;
    readonly salt: string;
  };
  /** Distinguishes a wrong passphrase from a damaged backup. */
  readonly keyCheck: string;
}

/** The keys of one backup. The slow derivation from the passphrase runs once; each file has its own key. */
export class BackupKeys {
  private constructor(
    private readonly main: Buffer,
    readonly encryption: Encryption,
  ) {}

  /** Creates the keys of a new backup. */
  static async create(passphrase: string): Promise<BackupKeys> {
    const kdf = { name: 'scrypt', ...SCRYPT, salt: randomBytes(KEY_BYTES).toString('hex') } as const;
    const main = await derive(passphrase, kdf);
    return new BackupKeys(main, { format: FORMAT, kdf, keyCheck: keyCheckOf(main).toString('hex') });
  }

  /** Opens an existing backup. @throws {Error} when the passphrase is wrong or the encryption is unknown. */
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

  /** Returns the key of the file at `path` in the backup, so that no file decrypts in the place of another. */
  fileKey(path: string, salt: Buffer): Buffer {
    return subkey(this.main, `file ${path}`, salt);
  }

  /** Returns a code that proves that the author of a text had the passphrase. */
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
      'The backup uses an encryption that this release does not know. Restore it with the release that made it.',
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
