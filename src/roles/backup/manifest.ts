import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BackupFile, BackupFiles } from './backup-files.js';
import { BackupKeys, type Encryption } from './backup-keys.js';

const MANIFEST = 'manifest.json';
/** The format of unencrypted backups, which earlier releases can restore too. */
const PLAIN = 1;
const ENCRYPTED = 2;

export interface DumpedTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
}

/** Partitions that were created while the service ran, and so by no migration. */
export interface DumpedPartition {
  readonly table: string;
  readonly name: string;
  readonly bound: string;
}

export interface DatabaseDump {
  /** Names of the applied migrations, in their order. */
  readonly migrations: readonly string[];
  readonly tables: readonly DumpedTable[];
  readonly partitions: readonly DumpedPartition[];
  readonly sequences: readonly { readonly name: string; readonly lastValue: string }[];
}

/** The contents of a backup. It is written last, so a directory without a manifest is not a backup. */
export interface Manifest {
  /** Version of the service that made the backup. */
  readonly version: string;
  readonly createdAt: string;
  readonly database: DatabaseDump;
  readonly files: readonly BackupFile[];
}

/**
 * In an encrypted backup, the manifest is authenticated with its keys, and with it the hash of each file.
 */
interface WrittenManifest extends Manifest {
  readonly format: number;
  /** Backups of earlier releases have no such field, and are not encrypted. */
  readonly encryption?: Encryption | null;
}

export interface OpenedBackup {
  readonly manifest: Manifest;
  readonly files: BackupFiles;
}

export async function writeManifest({ directory, keys }: BackupFiles, manifest: Manifest): Promise<void> {
  const written: WrittenManifest = {
    format: keys === undefined ? PLAIN : ENCRYPTED,
    encryption: keys?.encryption ?? null,
    ...manifest,
  };
  const mac = keys === undefined ? {} : { mac: keys.macOf(JSON.stringify(written)) };
  await writeFile(join(directory, MANIFEST), `${JSON.stringify({ ...written, ...mac }, null, 2)}\n`, {
    mode: 0o600,
    flag: 'wx',
  });
}

/**
 * Opens a backup and verifies all of its files. If it is not encrypted, a passphrase is ignored.
 *
 * @throws {Error} when it is not a backup, has another format, is encrypted with another passphrase, or is damaged.
 */
export async function openBackup(directory: string, passphrase: string | undefined): Promise<OpenedBackup> {
  const { mac, ...written } = await readManifest(directory);
  const keys = await keysOf(written, passphrase);
  if (keys !== undefined && !keys.isMacOf(JSON.stringify(written), mac))
    throw new Error(`The backup is damaged: ${MANIFEST} is not as it was written. Nothing was restored.`);
  const files = new BackupFiles(directory, keys);
  for (const file of written.files) {
    if (!(await files.isUnchanged(file)))
      throw new Error(`The backup is damaged: ${file.path} is not as it was written. Nothing was restored.`);
  }
  return { manifest: written, files };
}

async function readManifest(directory: string): Promise<WrittenManifest & { readonly mac?: unknown }> {
  try {
    return JSON.parse(await readFile(join(directory, MANIFEST), 'utf8')) as WrittenManifest;
  } catch (error) {
    throw new Error(`${directory} is not a backup: its ${MANIFEST} cannot be read.`, { cause: error });
  }
}

async function keysOf(
  { format, encryption }: WrittenManifest,
  passphrase: string | undefined,
): Promise<BackupKeys | undefined> {
  if (format !== PLAIN && format !== ENCRYPTED)
    throw new Error(`The backup has the format ${format}, and this release reads ${PLAIN} and ${ENCRYPTED}.`);
  const isEncrypted = encryption !== undefined && encryption !== null;
  if (isEncrypted !== (format === ENCRYPTED))
    throw new Error(
      `The backup is damaged: its ${MANIFEST} contradicts itself about whether it is encrypted. Nothing was restored.`,
    );
  if (!isEncrypted) return undefined;
  if (passphrase === undefined)
    throw new Error(
      'The backup is encrypted. Set BACKUP_PASSPHRASE to the passphrase that it was made with. Nothing was restored.',
    );
  return BackupKeys.open(passphrase, encryption);
}
