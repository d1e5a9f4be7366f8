import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { VersionedSecret } from '../platform/config/config.js';

const SECRET_BYTES = 32;

/**
 * A secret of a service that keeps its own database: made at the first start and kept beside the data, for its owner
 * alone. It belongs to a backup of them: without the pepper no API key of that database works, and without the key no
 * secret of a project can be read.
 *
 * @throws {Error} when the file cannot be read or is not one of ours; a new one in its place would end all of that.
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

/** Written whole under another name and linked into place: of two that start at once, one is kept and both read it. */
function createOnce(file: string): void {
  const draft = `${file}.${process.pid}`;
  rmSync(draft, { force: true });
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
