import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { RepositoriesHome } from '../../modules/repositories/git/repositories-home.js';
import { AuditSettings } from '../../modules/audit/audit.settings.js';
import { HostingSettings } from '../../modules/hosting/hosting.settings.js';
import { DatabasesSettings } from '../../modules/databases/databases.settings.js';
import { MeteringSettings } from '../../modules/metering/metering.settings.js';
import { ObjectsSettings } from '../../modules/objects/objects.settings.js';
import type { BlobsPlace } from '../../platform/blobs/blobs-url.js';
import { Config } from '../../platform/config/config.js';
import type { Settings } from '../../platform/config/settings.js';
import type { Log } from '../../platform/logging/log.js';
import { ask, pack, type Place, unpack } from './archives.js';
import type { BackupFiles } from './backup-files.js';

/**
 * The files of a repository in an order that is safe while others push: branches before the objects that they point to,
 * and loose objects before packs, as git moves them into packs. Unfinished files are left out.
 */
const REPOSITORY_PARTS = {
  'repositories-1-refs.tar': "find . ! -path './new-*' ! -path './*/objects/*' ! -name '*.lock' -print0",
  'repositories-2-objects.tar':
    "find . -path './*/objects/*' ! -path './new-*' ! -path './*/objects/pack/*' " +
    "! -path '*incoming-*' ! -name 'tmp_*' -print0",
  'repositories-3-packs.tar':
    "find . -path './*/objects/pack/*' ! -path './new-*' ! -path '*incoming-*' ! -name 'tmp_*' -print0",
} as const;
const ARTIFACTS = 'artifacts.tar';
const DATABASE_BACKUPS = 'database-backups.tar';
const OBJECTS = 'objects.tar';
const AUDIT_ARCHIVE = 'audit-archive.tar';
const USAGE_ARCHIVE = 'usage-archive.tar';
const SECRETS = 'secrets';
const SECRET_FILE = /^secrets\/[a-z-]+$/;

interface StoredBlobs {
  /** The archive in the backup. */
  readonly path: string;
  readonly setting: string;
  /** The directory in the place that holds all blobs. */
  readonly below: string;
  /**
   * The beginning of the names in that directory that are packed; all when undefined. Such files may be there before
   * they are restored, as they outlive the machine and have the hashes of their content in their names.
   */
  readonly only?: string;
  /** True when blobs are deleted while the service runs. The database that was copied before names none of them. */
  readonly mayVanish: boolean;
  readonly place: Place | undefined;
}

const directoryOf = (place: BlobsPlace): Place | undefined =>
  place.kind === 'file' ? { directory: place.directory, account: undefined } : undefined;

/** The files of the service. Build caches and the unpacked files of servers are left out: they can be recreated. */
export class StoredFiles {
  private readonly config: Config;

  constructor(
    private readonly settings: Settings,
    private readonly log: Log,
  ) {
    this.config = settings.of(Config);
  }

  /** Returns the paths of the written archives. */
  async save(files: BackupFiles): Promise<string[]> {
    const written: string[] = [];
    if (existsSync(join(this.config.dataDir, 'repositories'))) {
      for (const [path, find] of Object.entries(REPOSITORY_PARTS)) {
        await pack(this.repositories, { find }, { files, path });
        written.push(path);
      }
    }
    for (const { path, place, below, only, mayVanish } of this.blobs) {
      if (place === undefined || !existsSync(join(place.directory, below))) continue;
      const names = only === undefined ? '' : ` -path './${below}/${only}*'`;
      await pack(place, { find: `find ./${below}${names} -print0`, mayVanish }, { files, path });
      written.push(path);
    }
    return [...written, ...(await this.saveSecrets(files))];
  }

  /** @throws {Error} when one of the directories is not empty. */
  async requireNone(): Promise<void> {
    for (const directory of [
      join(this.config.dataDir, 'repositories'),
      join(this.config.dataDir, SECRETS),
      ...this.blobs.filter(({ only }) => only === undefined).map(({ place }) => place?.directory),
    ]) {
      if (directory !== undefined && existsSync(directory) && (await readdir(directory)).length > 0)
        throw new Error(`${directory} is not empty. Set DATA_DIR to a new directory.`);
    }
  }

  /** @param paths of the files in the backup, from its manifest. */
  async load(files: BackupFiles, paths: readonly string[]): Promise<void> {
    for (const path of paths.filter((each) => SECRET_FILE.test(each))) await this.loadSecret(files, path);
    for (const path of Object.keys(REPOSITORY_PARTS).filter((each) => paths.includes(each)))
      await unpack(this.repositories, { files, path });
    for (const { path, place, setting, only } of this.blobs.filter((each) => paths.includes(each.path))) {
      if (place === undefined)
        throw new Error(`The backup holds ${path}, but ${setting} names a bucket. Restore without ${setting} first.`);
      await mkdir(place.directory, { recursive: true, mode: 0o700 });
      await unpack(place, { files, path }, only !== undefined);
    }
  }

  /** Returns the ids of repositories that lack objects of their branches. */
  async damagedRepositories(): Promise<string[]> {
    if (!existsSync(join(this.config.dataDir, 'repositories'))) return [];
    const output = await ask(
      this.repositories,
      'for each in *.git; do [ ! -d "$each" ] || GIT_CONFIG_NOSYSTEM=1 git --git-dir="$each" fsck ' +
        '--connectivity-only --no-dangling --no-progress >/dev/null 2>&1 || echo "$each"; done',
    );
    return output
      .split('\n')
      .filter((line) => line !== '')
      .map((name) => name.slice(0, -'.git'.length));
  }

  private get repositories(): Place {
    const home = new RepositoriesHome(this.config, this.log);
    return { directory: home.directory, account: home.account };
  }

  /** Storages of blobs. A place is undefined when it is a bucket. */
  private get blobs(): StoredBlobs[] {
    return [
      {
        path: ARTIFACTS,
        setting: 'ARTIFACTS_URL',
        below: 'sha256',
        mayVanish: false,
        place: directoryOf(this.settings.of(HostingSettings).artifactsPlace),
      },
      {
        path: DATABASE_BACKUPS,
        setting: 'DATABASE_BACKUPS_URL',
        below: 'clusters',
        mayVanish: false,
        place: directoryOf(this.settings.of(DatabasesSettings).backupsPlace),
      },
      {
        path: OBJECTS,
        setting: 'OBJECTS_URL',
        below: 'blobs',
        mayVanish: true,
        place: directoryOf(this.settings.of(ObjectsSettings).objectsPlace),
      },
      {
        path: AUDIT_ARCHIVE,
        setting: 'AUDIT_ARCHIVE_URL',
        below: 'partitions',
        only: 'audit_log_',
        mayVanish: false,
        place: directoryOf(this.settings.of(AuditSettings).archivePlace),
      },
      {
        path: USAGE_ARCHIVE,
        setting: 'USAGE_ARCHIVE_URL',
        below: 'partitions',
        only: 'usage_events_',
        mayVanish: false,
        place: directoryOf(this.settings.of(MeteringSettings).archivePlace),
      },
    ];
  }

  private async saveSecrets(files: BackupFiles): Promise<string[]> {
    const directory = join(this.config.dataDir, SECRETS);
    if (!existsSync(directory)) return [];
    const paths = (await readdir(directory))
      .map((name) => `${SECRETS}/${name}`)
      .filter((path) => SECRET_FILE.test(path))
      .sort();
    for (const path of paths) await files.save(path, createReadStream(join(this.config.dataDir, path)));
    return paths;
  }

  private async loadSecret(files: BackupFiles, path: string): Promise<void> {
    await mkdir(join(this.config.dataDir, SECRETS), { recursive: true, mode: 0o700 });
    await files.load(path, createWriteStream(join(this.config.dataDir, path), { flags: 'wx', mode: 0o600 }));
  }
}
