import type { VersionedSecret } from '../config/config.js';
import { keyFor, seal, unseal } from './sealed.js';

const VERSION_BYTES = 4;

/** The bytes that encryption adds to a value: the version of its key, and the nonce and tag of AES-GCM. */
export const ENCRYPTION_OVERHEAD_BYTES = VERSION_BYTES + 28;

/** Returns the prefix of every value that was encrypted with this version of a key. */
export function markOf(version: number): Buffer {
  const mark = Buffer.alloc(VERSION_BYTES);
  mark.writeUInt32BE(version);
  return mark;
}

/**
 * Encrypts values for one purpose with the newest version of a secret, and decrypts each with the version that it was
 * encrypted with.
 */
export class KeyRing {
  private readonly keys: ReadonlyMap<number, Buffer>;
  private readonly newest: number | undefined;

  /**
   * @param setting the name of the setting that holds the secrets, for messages.
   * @param secrets the newest first.
   */
  constructor(
    private readonly setting: string,
    purpose: string,
    secrets: readonly VersionedSecret[],
  ) {
    this.keys = new Map(secrets.map(({ version, secret }) => [version, keyFor(purpose, secret)]));
    this.newest = secrets[0]?.version;
  }

  /** `context` must be the same to decrypt the value, and is not stored in it. */
  encrypt(value: string, context: string): Buffer {
    if (this.newest === undefined) throw new Error(`This process has no ${this.setting} and cannot encrypt values.`);
    return Buffer.concat([markOf(this.newest), seal(Buffer.from(value), this.keys.get(this.newest)!, context)]);
  }

  /** @throws {KeyMissing} @throws {Error} for a value with another context, and for one that was changed. */
  decrypt(encrypted: Buffer, context: string): string {
    const version = encrypted.readUInt32BE(0);
    const key = this.keys.get(version);
    if (key === undefined) throw new KeyMissing(this.setting, version);
    return unseal(encrypted.subarray(VERSION_BYTES), key, context).toString();
  }
}

export class KeyMissing extends Error {
  constructor(setting: string, version: number) {
    super(`A value was encrypted with version ${version} of ${setting}, which is not set.`);
  }
}
