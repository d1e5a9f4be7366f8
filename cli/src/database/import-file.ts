import { createReadStream, createWriteStream, openAsBlob } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { UsageError } from '../failures.js';

interface ImportFile {
  /** It is read while it is sent, and again when it has to be sent again. */
  readonly sql: Blob;
  /** Must be called at the end. */
  readonly discard: () => Promise<void>;
}

/**
 * Opens a file to be sent, of which only a small part is ever in memory. A pipe, whose length is not known and which
 * cannot be read twice, is copied to a temporary file.
 *
 * @throws {UsageError} when it cannot be read.
 */
export async function openImportFile(file: string): Promise<ImportFile> {
  try {
    const found = await stat(file);
    if (found.isDirectory()) throw new Error('it is a directory');
    if (found.isFile()) return { sql: await openAsBlob(file), discard: () => Promise.resolve() };
    return await copyOf(file);
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}. Name another file.`);
  }
}

async function copyOf(file: string): Promise<ImportFile> {
  const directory = await mkdtemp(join(tmpdir(), 'service-import-'));
  const discard = (): Promise<void> => rm(directory, { recursive: true, force: true });
  try {
    const copy = join(directory, 'import.sql');
    await pipeline(createReadStream(file), createWriteStream(copy, { mode: 0o600 }));
    return { sql: await openAsBlob(copy), discard };
  } catch (error) {
    await discard();
    throw error;
  }
}
