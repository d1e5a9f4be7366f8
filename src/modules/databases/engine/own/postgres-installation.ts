import assert from 'node:assert';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Isolation } from '../../../../platform/isolation/isolation.js';
import type { Mount } from '../../../../platform/isolation/isolation-spec.js';
import { findPostgresPrograms } from '../../../../platform/postgres/postgres-programs.js';
import { DatabasesSettings } from '../../databases.settings.js';

/** The directory inside of an isolation of the programs that come with the service. */
const OWN_PLACE = '/opt/postgres';
/** The formats of files are those of this version, and an upgrade is a work of its own. */
export const POSTGRES_MAJOR = '18';

export interface Installation {
  readonly mounts: readonly Mount[];
  /** The directory of the programs, as a path inside. */
  readonly bin: string;
  /** Such as `18.4`. */
  readonly version: string;
  /** True when it counts statements: the extension `pg_stat_statements`. */
  readonly countsStatements: boolean;
}

/** The PostgreSQL of project databases: the one that comes with the service, or one that the operator names. */
@Injectable()
export class PostgresInstallation {
  private found: Promise<Installation> | undefined;

  constructor(
    private readonly isolation: Isolation,
    private readonly settings: DatabasesSettings,
  ) {}

  /** @param home where a copy may be made. @throws {Error} that names what is missing, for the operator. */
  open(home: string): Promise<Installation> {
    this.found ??= this.find(home).catch((error: unknown) => {
      this.found = undefined;
      throw error;
    });
    return this.found;
  }

  private find(home: string): Promise<Installation> {
    const { postgresDirectory } = this.settings;
    return postgresDirectory === undefined ? this.own(home) : this.named(postgresDirectory);
  }

  private async own(home: string): Promise<Installation> {
    const { directory } = await findPostgresPrograms(home, undefined);
    const from = await this.isolation.reachable(directory);
    return describe({ directory, mounts: [{ from, to: OWN_PLACE }], bin: `${OWN_PLACE}/bin` });
  }

  /** Packages of distributions know their own paths, so they are mounted where they are. */
  private async named(given: string): Promise<Installation> {
    const directory = await realpath(given);
    const places = [directory, `/usr/share/postgresql/${POSTGRES_MAJOR}`, '/usr/share/zoneinfo'].filter((path) =>
      existsSync(path),
    );
    return describe({
      directory,
      mounts: places.map((path) => ({ from: path, to: path })),
      bin: join(directory, 'bin'),
    });
  }
}

interface Found {
  /** A path of this machine. */
  readonly directory: string;
  readonly mounts: readonly Mount[];
  readonly bin: string;
}

/** The program is the operator's, so the service runs it to ask for its version. */
async function describe({ directory, mounts, bin }: Found): Promise<Installation> {
  const { stdout } = await promisify(execFile)(join(directory, 'bin/postgres'), ['--version'], { env: {} });
  const version = /\) (\d{1,3}\.\d{1,3})/.exec(stdout)?.[1] ?? '';
  assert(
    version.startsWith(`${POSTGRES_MAJOR}.`),
    `PostgreSQL ${POSTGRES_MAJOR} is needed, and ${directory} has ${stdout.trim()}.`,
  );
  const libraries = await Promise.all(
    ['lib', 'lib/postgresql'].map((place) => readdir(join(directory, place)).catch(() => [])),
  );
  return { mounts, bin, version, countsStatements: libraries.flat().includes('pg_stat_statements.so') };
}
