import { resolve } from 'node:path';
import { Config } from '../../platform/config/config.js';
import type { Settings } from '../../platform/config/settings.js';
import type { Log } from '../../platform/logging/log.js';
import { knownMigrations } from '../data-source.js';
import { migrate } from '../migrate.js';
import { BackupSettings } from './backup.settings.js';
import { withNewDatabase } from './database-access.js';
import { loadDatabase, requireEmpty } from './database-dump.js';
import { type Manifest, openBackup } from './manifest.js';
import { reviveProjectDatabases } from './project-databases.js';
import { StoredFiles } from './stored-files.js';

const PLAIN_REMARK = 'The backup was NOT ENCRYPTED, though BACKUP_PASSPHRASE is set. It may have been changed since.\n';

/**
 * Restores a backup into an empty database and a new data directory, migrates it to this release, and returns a
 * summary.
 *
 * @throws {Error} before anything is changed, when the backup is damaged, is encrypted with another passphrase, was
 *   made by a later release, or would overwrite something.
 */
export async function restore(settings: Settings, log: Log, requested: string): Promise<string> {
  const { passphrase } = settings.of(BackupSettings);
  const { manifest, files } = await openBackup(resolve(requested), passphrase);
  // An operator who expects an encrypted backup may have been given a forged one in its place.
  const isUnexpectedlyPlain = passphrase !== undefined && files.keys === undefined;
  if (isUnexpectedlyPlain) log.warn({}, 'BACKUP_PASSPHRASE is set, but the backup is not encrypted.');
  requireKnown(manifest);
  const stored = new StoredFiles(settings, log);
  await stored.requireNone();
  const { database } = manifest;
  let databases = 0;
  const newer = await withNewDatabase(settings.of(Config), log, async (url) => {
    await requireEmpty(url);
    await migrate(url, database.migrations);
    await loadDatabase(url, { files, dump: database });
    const migrations = await migrate(url);
    databases = await reviveProjectDatabases(url, settings.of(Config).dataDir);
    return migrations;
  });
  await stored.load(
    files,
    manifest.files.map(({ path }) => path),
  );
  const damaged = await stored.damagedRepositories();
  if (damaged.length > 0)
    throw new Error(
      `Everything is restored, but these repositories lack objects of their branches: ${damaged.join(', ')}.`,
    );
  const rows = database.tables.reduce((sum, table) => sum + table.rows, 0);
  return [
    `Restored the backup of ${manifest.createdAt}: ${database.tables.length} tables with ${rows} rows.`,
    newer.length === 0 ? '\n' : ` Applied migrations: ${newer.join(', ')}.\n`,
    isUnexpectedlyPlain ? PLAIN_REMARK : '',
    databases === 0 ? '' : `The service restores ${databases} project databases when it starts.\n`,
    'Start the service with the same settings.\n',
  ].join('');
}

function requireKnown({ version, database }: Manifest): void {
  const unknown = database.migrations.filter((name) => !knownMigrations().includes(name));
  if (unknown.length > 0)
    throw new Error(
      `The backup was made by release ${version}, which is later than this one (${unknown.join(', ')}). ` +
        'Restore it with that release.',
    );
}
