import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BackupKeys } from './backup-keys.js';
import { DecryptChunks, DecryptionFailed, EncryptChunks } from './chunk-cipher.js';

export interface BackupFile {
  readonly path: string;
  /** The hash of the stored bytes, encrypted or not. */
  readonly bytes: number;
  readonly sha256: string;
}

/** The files of one backup. With keys, they are encrypted before they are written, so no plain data is stored. */
export class BackupFiles {
  constructor(
    readonly directory: string,
    readonly keys?: BackupKeys,
  ) {}

  /** @throws {Error} when the file exists. */
  async save(path: string, source: Readable): Promise<void> {
    const { keys } = this;
    const file = join(this.directory, path);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const encryption = keys === undefined ? [] : [new EncryptChunks((salt) => keys.fileKey(path, salt))];
    await pipeline([source, ...encryption, createWriteStream(file, { flags: 'wx', mode: 0o600 })]);
  }

  /** @throws {Error} when the file was not written with these keys at this path; `target` only gets authentic bytes. */
  async load(path: string, target: Writable): Promise<void> {
    const { keys } = this;
    const decryption = keys === undefined ? [] : [new DecryptChunks((salt) => keys.fileKey(path, salt))];
    try {
      await pipeline([createReadStream(join(this.directory, path)), ...decryption, target]);
    } catch (error) {
      throw error instanceof DecryptionFailed
        ? new Error(`The backup is damaged: ${path} is not as it was written.`, { cause: error })
        : error;
    }
  }

  async discard(path: string): Promise<void> {
    await rm(join(this.directory, path), { force: true });
  }

  async describe(path: string): Promise<BackupFile> {
    return { path, bytes: (await stat(join(this.directory, path))).size, sha256: await this.sha256Of(path) };
  }

  async isUnchanged({ path, sha256 }: BackupFile): Promise<boolean> {
    return (await this.sha256Of(path).catch(() => undefined)) === sha256;
  }

  private async sha256Of(path: string): Promise<string> {
    const hash = createHash('sha256');
    await pipeline(createReadStream(join(this.directory, path)), hash);
    return hash.digest('hex');
  }
}
