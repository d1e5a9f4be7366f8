import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { packagedPostgres } from '../../../platform/postgres/postgres-programs.js';
import type { DatabasesSettings } from '../databases.settings.js';

const NAME = 'pg_dump';
/** Where packages of distributions put it, by major version. */
const VERSIONED = [
  { directory: '/usr/lib/postgresql', form: /^(\d{1,3})$/ },
  { directory: '/usr', form: /^pgsql-(\d{1,3})$/ },
];

/** A file that may be `pg_dump`. */
export interface DumpPlace {
  readonly path: string;
  /** The major version that the name of its directory states. */
  readonly major: number | undefined;
}

/** Returns where `pg_dump` may be on this machine, in the order of preference. */
export async function dumpPlaces(settings: DatabasesSettings): Promise<DumpPlace[]> {
  const { dumpProgram, postgresDirectory } = settings;
  if (dumpProgram !== undefined) return [{ path: dumpProgram, major: undefined }];
  const installations = [postgresDirectory, packagedPostgres()].filter((each) => each !== undefined);
  const places = [
    ...installations.map((directory) => ({ path: join(directory, 'bin', NAME), major: undefined })),
    ...(await versioned()),
    ...(await inPath()),
  ];
  return places.filter(({ path }) => existsSync(path));
}

async function versioned(): Promise<DumpPlace[]> {
  const found = await Promise.all(
    VERSIONED.map(async ({ directory, form }) =>
      (await readdir(directory).catch(() => [])).flatMap((name) => {
        const major = form.exec(name)?.[1];
        return major === undefined ? [] : [{ path: join(directory, name, 'bin', NAME), major: Number(major) }];
      }),
    ),
  );
  return found.flat().sort((one, other) => other.major - one.major);
}

/** What Debian puts into PATH is a script that chooses a version, which an isolation has no interpreter for. */
async function inPath(): Promise<DumpPlace[]> {
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', `command -v ${NAME} || true`]);
  const path = await realpath(stdout.trim()).catch(() => '');
  return basename(path) === NAME ? [{ path, major: undefined }] : [];
}
