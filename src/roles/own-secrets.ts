import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { VersionedSecret } from '../platform/config/config.js';

const SECRET_BYTES = 32;

/**
 * Returns a secret of a service with its own database. It is created at the first start, and stored beside the data for
 * the owner only. A backup must contain it: without the pepper no API key works, and without the encryption key no
 * secret of a project can be decrypted.
 *
 * @throws {Error} when the file cannot be read or this service has not written it. It is never replaced, because a new
 *   secret would make the stored data useless.
 */
export function openOwnSecret(dataDir: string, name: 'api-key-pepper' | 'secrets-key'): VersionedSecret {
  const folder = join(dataDir, 'secrets');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, name);
  createOnce(file);
  const secret = readFileSync(file, 'utf8').trim();
  if (!/^[0-9a-f]{64}$/.test(secret))
    throw new Error(`${file} is not a secret that this service has written. Restore it from a backup.`);
  return { version: 1, secret };
}

/** The complete file is linked into place, so that of two starts at once, one wins and both read its file. */
function createOnce(file: string): void {
  // Two containers that start on the same data may have the same number of a process.
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  const descriptor = openSync(draft, 'wx', 0o600);
  try {
    writeSync(descriptor, `${randomBytes(SECRET_BYTES).toString('hex')}\n`);
    fsyncSync(descriptor);
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    closeSync(descriptor);
    rmSync(draft, { force: true });
  }
}
