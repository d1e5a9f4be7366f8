import { mkdir, rename, rm, rmdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Config } from '../../platform/config/config.js';
import type { Settings } from '../../platform/config/settings.js';
import type { Log } from '../../platform/logging/log.js';
import { AuditSettings } from '../../modules/audit/audit.settings.js';
import { DatabasesSettings } from '../../modules/databases/databases.settings.js';
import { HostingSettings } from '../../modules/hosting/hosting.settings.js';
import { MeteringSettings } from '../../modules/metering/metering.settings.js';
import { ObjectsSettings } from '../../modules/objects/objects.settings.js';
import { VERSION } from '../../platform/version.js';
import { type BackupFile, BackupFiles } from './backup-files.js';
import { BackupSettings } from './backup.settings.js';
import { BackupKeys } from './backup-keys.js';
import { dumpDatabase, fileOf } from './database-dump.js';
import { withDatabase } from './database-access.js';
import { writeManifest } from './manifest.js';
import { storeProjectDatabases } from './project-databases.js';
import { StoredFiles } from './stored-files.js';

/**
 * Writes all data of the service to a new directory, whether the service runs or not, and returns a summary.
 *
 * The database is read first, in one transaction. Files are never changed in place, so all files that it names are
 * included.
 *
 * @throws {Error} when the directory exists or something cannot be read; the directory is then removed.
 */
export async function backUp(
  settings: Settings,
  log: Log,
  { directory: requested, now }: { directory: string; now: Date },
): Promise<string> {
  const directory = resolve(requested);
  const unfinished = `${directory}.unfinished`;
  // This backup takes both names now. In the end, the unfinished directory is renamed over the empty one.
  await take(directory, 'Choose a new name for each backup.');
  try {
    await take(unfinished, 'Another backup is running, or one was interrupted. Remove the directory in that case.');
  } catch (error) {
    await rmdir(directory);
    throw error;
  }
  try {
    const { passphrase } = settings.of(BackupSettings);
    const backup = new BackupFiles(
      unfinished,
      passphrase === undefined ? undefined : await BackupKeys.create(passphrase),
    );
    let unstored: string[] = [];
    const database = await withDatabase(settings.of(Config), log, async (url) => {
      unstored = await storeProjectDatabases(url);
      return dumpDatabase(url, backup);
    });
    const stored = await new StoredFiles(settings, log).save(backup);
    const paths = [...database.tables.map(({ name }) => fileOf(name)), ...stored];
    const files: BackupFile[] = [];
    for (const path of paths) files.push(await backup.describe(path));
    await writeManifest(backup, { version: VERSION, createdAt: now.toISOString(), database, files });
    await rename(unfinished, directory);
    const rows = database.tables.reduce((sum, table) => sum + table.rows, 0);
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    const size = `${(bytes / 1_048_576).toFixed(1)} MiB in total`;
    return (
      `Backed up to ${directory}: ${database.tables.length} tables with ${rows} rows, ` +
      `${stored.length} archives of files, ${size}.\n${remarks(settings, stored, unstored)}`
    );
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    await rmdir(directory);
    throw error;
  }
}

async function take(directory: string, advice: string): Promise<void> {
  await mkdir(directory, { mode: 0o700 }).catch((error: unknown) => {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(
      code === 'EEXIST' ? `${directory} exists already. ${advice}` : `The backup cannot be written: ${message}.`,
    );
  });
}

/** Returns what the operator has to know to keep and restore the backup. */
function remarks(settings: Settings, stored: readonly string[], unstored: readonly string[]): string {
  const hasSecrets = stored.some((path) => path.startsWith('secrets/'));
  const contents = hasSecrets
    ? 'the secrets of the service, source code and personal data'
    : 'source code, personal data and hashes of passwords';
  return [
    settings.of(BackupSettings).passphrase === undefined
      ? `The backup is NOT ENCRYPTED and holds ${contents}. ` +
        'Keep it as safe as the service, or set BACKUP_PASSPHRASE to encrypt it.'
      : 'The backup is encrypted with BACKUP_PASSPHRASE, and cannot be restored without it. ' +
        'Keep the passphrase in another place.',
    hasSecrets || settings.of(Config).databaseUrl === undefined
      ? ''
      : 'API_KEY_PEPPER and SECRETS_KEY are not in the backup. Keep them too: API keys and secrets need them.',
    settings.of(HostingSettings).artifactsPlace.kind === 's3'
      ? 'The files of deploys are in the bucket of ARTIFACTS_URL, and not in the backup.'
      : '',
    settings.of(DatabasesSettings).backupsPlace.kind === 's3'
      ? 'Project databases are in the bucket of DATABASE_BACKUPS_URL, and not in the backup.'
      : '',
    settings.of(ObjectsSettings).objectsPlace.kind === 's3'
      ? 'Objects of buckets are in the bucket of OBJECTS_URL, and not in the backup.'
      : '',
    settings.of(AuditSettings).archivePlace.kind === 's3'
      ? 'Old months of the audit log are in the bucket of AUDIT_ARCHIVE_URL, and not in the backup.'
      : '',
    settings.of(MeteringSettings).archivePlace.kind === 's3'
      ? 'Old events of usage are in the bucket of USAGE_ARCHIVE_URL, and not in the backup.'
      : '',
    unstored.length > 0
      ? `These project databases have no backup yet, and are NOT in this one: ${unstored.join(', ')}. ` +
        'Start the service, and back up while it runs.'
      : '',
  ]
    .filter((line) => line !== '')
    .map((line) => `${line}\n`)
    .join('');
}
