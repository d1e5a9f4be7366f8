import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

export const MANIFEST = 'manifest.json';
const FORMAT = 1;

export interface DumpedTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
}

/** What of a partitioned table was made while the service ran, and so by no migration. */
export interface DumpedPartition {
  readonly table: string;
  readonly name: string;
  readonly bound: string;
}

export interface DatabaseDump {
  /** Names of the migrations that the database had seen, in their order. */
  readonly migrations: readonly string[];
  readonly tables: readonly DumpedTable[];
  readonly partitions: readonly DumpedPartition[];
  readonly sequences: readonly { readonly name: string; readonly lastValue: string }[];
}

export interface BackupFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** What a backup holds. It is written last, so that a directory without one is no backup. */
export interface Manifest {
  readonly format: typeof FORMAT;
  /** Of the service that made it. */
  readonly version: string;
  readonly createdAt: string;
  readonly database: DatabaseDump;
  readonly files: readonly BackupFile[];
}

export function manifestOf(parts: Omit<Manifest, 'format'>): Manifest {
  return { format: FORMAT, ...parts };
}

/**
 * The manifest of a backup whose files are as they were written.
 *
 * @throws {Error} when it is no backup, one of another format, or damaged.
 */
export async function readManifest(directory: string): Promise<Manifest> {
  let manifest: Omit<Manifest, 'format'> & { readonly format: number };
  try {
    manifest = JSON.parse(await readFile(join(directory, MANIFEST), 'utf8')) as typeof manifest;
  } catch (error) {
    throw new Error(`${directory} is no backup: its ${MANIFEST} cannot be read.`, { cause: error });
  }
  if (manifest.format !== FORMAT) throw new Error(`The backup has the format ${manifest.format}, and this release reads ${FORMAT}.`);
  for (const { path, sha256 } of manifest.files) {
    if (await sha256Of(join(directory, path)).catch(() => undefined) !== sha256) throw new Error(`The backup is damaged: ${path} is not as it was written. Nothing was restored.`);
  }
  return { ...manifest, format: FORMAT };
}

export async function describe(directory: string, path: string): Promise<BackupFile> {
  const file = join(directory, path);
  return { path, bytes: (await stat(file)).size, sha256: await sha256Of(file) };
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
