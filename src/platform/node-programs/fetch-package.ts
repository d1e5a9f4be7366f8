import { execFile } from 'node:child_process';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { PROJECT_ROOT } from '../version.js';
import { npmPackage } from './npm-program.js';

const WITHIN_MS = 300_000;
const OPTIONS = [
  '--ignore-scripts',
  '--no-bin-links',
  '--no-audit',
  '--no-fund',
  '--no-update-notifier',
  '--loglevel=error',
  '--fetch-retries=1',
  '--fetch-retry-mintimeout=1000',
];

export interface PinnedPackage {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
}

/** A package could not be fetched. The message names no host, because users of the service read it. */
export class PackageNotFetched extends Error {
  override readonly name = 'PackageNotFetched';
}

/**
 * Installs one package into `<directory>/node_modules`, from the registry that npm is configured with for this user and
 * this project (`npm config get registry`, `.npmrc`, credentials and proxies included). npm compares what it receives
 * with the hash of the lock file that is written here, and installs nothing else.
 * @throws {PackageNotFetched}
 */
export async function fetchPackage({ name, version, integrity }: PinnedPackage, directory: string): Promise<void> {
  const npm = await npmPackage();
  if (npm === undefined) throw new PackageNotFetched('npm is not installed on this machine');
  const dependencies = { [name]: version };
  await writeFile(join(directory, 'package.json'), JSON.stringify({ private: true, dependencies }));
  const packages = { '': { dependencies }, [`node_modules/${name}`]: { version, integrity } };
  await writeFile(
    join(directory, 'package-lock.json'),
    JSON.stringify({ lockfileVersion: 3, requires: true, packages }),
  );
  await copyFile(join(PROJECT_ROOT, '.npmrc'), join(directory, '.npmrc')).catch(() => undefined);
  try {
    // npm gets a cache of its own: the home of the service's user need not be writable, and nothing here is needed
    // again.
    await promisify(execFile)(
      process.execPath,
      [join(npm, 'bin/npm-cli.js'), 'ci', ...OPTIONS, '--cache', join(directory, 'cache')],
      {
        cwd: directory,
        timeout: WITHIN_MS,
        killSignal: 'SIGKILL',
        maxBuffer: 16 * 1024 * 1024,
      },
    );
  } catch (error) {
    throw new PackageNotFetched(reasonOf(error as { stderr?: string; killed?: boolean }), { cause: error });
  }
}

function reasonOf({ stderr = '', killed = false }: { stderr?: string; killed?: boolean }): string {
  if (killed) return `the npm registry did not deliver it within ${WITHIN_MS / 60_000} minutes`;
  const code = /^npm (?:error|ERR!) code (\S+)$/m.exec(stderr)?.[1] ?? 'unknown error';
  switch (code) {
    case 'EINTEGRITY':
      return 'the hash of the download from the npm registry differs from the expected one, so it was discarded';
    case 'E404':
    case 'ETARGET':
      return 'the npm registry does not have it';
    case 'E401':
    case 'E403':
    case 'ENEEDAUTH':
      return `the npm registry refused it (${code})`;
    case 'ENOSPC':
      return 'the disk of the machine is full';
    default:
      return `the npm registry could not be reached or did not deliver it completely (${code})`;
  }
}
