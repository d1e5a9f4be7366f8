import { mkdir, rename, rm, rmdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Config } from '../../platform/config/config.js';
import type { Settings } from '../../platform/config/settings.js';
import type { Log } from '../../platform/logging/log.js';
import { HostingSettings } from '../../modules/hosting/hosting.settings.js';
import { VERSION } from '../../platform/version.js';
import { type BackupFile, BackupFiles } from './backup-files.js';
import { BackupSettings } from './backup.settings.js';
import { BackupKeys } from './backup-keys.js';
import { dumpDatabase, fileOf } from './database-dump.js';
import { withDatabase } from './database-access.js';
import { writeManifest } from './manifest.js';
import { StoredFiles } from './stored-files.js';

/**
 * Writes all that the service keeps to a directory of its own, while the service runs or not, and says what it wrote.
 *
 * The database comes first, as of one moment; files are never changed in place, so that what it names is in them.
 *
 * @throws {Error} when the directory exists, or something cannot be read. Nothing is left then.
 */
export async function backUp(
  settings: Settings,
  log: Log,
  { directory: requested, now }: { directory: string; now: Date },
): Promise<string> {
  const directory = resolve(requested);
  const unfinished = `${directory}.unfinished`;
  // Both names are taken now, by this backup alone; over the one that is empty the other can be renamed in the end.
  await take(directory, 'Choose a new name for each backup.');
  try {
    await take(unfinished, 'Another backup is being made, or one was cut short: then remove it.');
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
    const database = await withDatabase(settings.of(Config), log, (url) => dumpDatabase(url, backup));
    const stored = await new StoredFiles(settings, log).save(backup);
    const paths = [...database.tables.map(({ name }) => fileOf(name)), ...stored];
    const files: BackupFile[] = [];
    for (const path of paths) files.push(await backup.describe(path));
    await writeManifest(backup, { version: VERSION, createdAt: now.toISOString(), database, files });
    await rename(unfinished, directory);
    const rows = database.tables.reduce((sum, table) => sum + table.rows, 0);
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    return `Backed up to ${directory}: ${database.tables.length} tables with ${rows} rows, ${stored.length} files of what is stored, ${(bytes / 1_048_576).toFixed(1)} MiB in all.\n${remarks(settings, stored)}`;
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

/** What whoever keeps the backup has to know. */
function remarks(settings: Settings, stored: readonly string[]): string {
  const hasSecrets = stored.some((path) => path.startsWith('secrets/'));
  const contents = hasSecrets
    ? 'the secrets of the service, source code and personal data'
    : 'source code, personal data and hashes of passwords';
  return [
    settings.of(BackupSettings).passphrase === undefined
      ? `The backup is NOT ENCRYPTED and holds ${contents}: keep it as safe as the service, or set BACKUP_PASSPHRASE to encrypt it.`
      : 'The backup is encrypted with BACKUP_PASSPHRASE: keep the passphrase in another place. Without it nothing can be restored.',
    hasSecrets || settings.of(Config).databaseUrl === undefined
      ? ''
      : 'API_KEY_PEPPER and SECRETS_KEY are not in it: keep them too, or no key and no secret of it can be read.',
    settings.of(HostingSettings).artifactsPlace.kind === 's3'
      ? 'The files of deploys are in the bucket of ARTIFACTS_URL, and not in it.'
      : '',
  ]
    .filter((line) => line !== '')
    .map((line) => `${line}\n`)
    .join('');
}
