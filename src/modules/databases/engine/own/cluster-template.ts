import { randomBytes } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { ClusterLimits } from '../database-engine.js';
import { GUARD_VERSION } from '../read-only-guard.js';
import { ClusterFiles } from './cluster-files.js';
import { guardCluster } from './cluster-guard.js';
import { ClusterHome } from './cluster-home.js';
import { ClusterPrograms } from './cluster-programs.js';
import { runAll } from './cluster-questions.js';
import { ClusterRecords } from './cluster-records.js';
import { ARCHIVE, DATA } from './cluster-settings.js';
import { ClusterStarter } from './cluster-starter.js';
import type { Installation } from './postgres-installation.js';

/** The end of the names of directories that are not complete. */
export const UNFINISHED = '.unfinished';
/** It changes with what is below, so that a new release makes a new template. */
const TEMPLATE_VERSION = 2;
const LIMITS: ClusterLimits = { maxConnections: 10, memoryBytes: 268_435_456, diskBytes: 1_073_741_824 };

const INITDB = [
  ...['--pgdata', DATA, '--username', 'platform', '--auth', 'trust', '--encoding', 'UTF8', '--wal-segsize', '1'],
  ...['--no-instructions', '--no-sync', '-c', 'shared_memory_type=sysv', '-c', 'dynamic_shared_memory_type=sysv'],
  // This locale sorts by code point. Unlike those of the system, it is always there and never changes with glibc.
  ...['--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'],
];

/** `platform` always writes, whatever a tenant's database is limited to. */
const ROLES = [
  'ALTER ROLE platform SET default_transaction_read_only = off',
  'CREATE ROLE owner LOGIN',
  'CREATE ROLE reader LOGIN',
  'GRANT pg_read_all_data TO reader',
  'GRANT pg_read_all_stats TO owner',
  'REVOKE CONNECT, TEMPORARY ON DATABASE postgres FROM PUBLIC',
  'REVOKE CONNECT, TEMPORARY ON DATABASE template1 FROM PUBLIC',
  'CREATE DATABASE app TEMPLATE template0',
  'REVOKE CONNECT, TEMPORARY ON DATABASE app FROM PUBLIC',
  // The owner of a database may change its limits and defaults, so it is not the tenant. CREATE allows schemas and
  // those extensions that PostgreSQL calls trusted.
  'GRANT CONNECT, TEMPORARY, CREATE ON DATABASE app TO owner',
  // Temporary tables take space, and nothing would bound what a reader puts into them.
  'GRANT CONNECT ON DATABASE app TO reader',
];
const PUBLIC_SCHEMA = ['ALTER SCHEMA public OWNER TO owner'];
/** A schema of its own survives `DROP SCHEMA public CASCADE`, with which many tools begin. */
const STATISTICS = [
  'CREATE SCHEMA extensions',
  'GRANT USAGE ON SCHEMA extensions TO owner, reader',
  'CREATE EXTENSION pg_stat_statements SCHEMA extensions',
];
const SIZE = "SELECT pg_database_size('app')::text AS bytes";

/** The empty cluster that all others are copies of. It is made once for each version of PostgreSQL. */
@Injectable()
export class ClusterTemplate {
  private made: Promise<string> | undefined;

  constructor(
    private readonly home: ClusterHome,
    private readonly programs: ClusterPrograms,
    private readonly files: ClusterFiles,
    private readonly starter: ClusterStarter,
    private readonly records: ClusterRecords,
  ) {}

  /** Returns its directory. */
  open(): Promise<string> {
    this.made ??= this.make().catch((error: unknown) => {
      this.made = undefined;
      throw error;
    });
    return this.made;
  }

  private async make(): Promise<string> {
    const installation = await this.programs.installation();
    const directory = join(this.home.templates, `${installation.version}-${TEMPLATE_VERSION}`);
    if ((await this.records.in(directory)) !== undefined) return directory;

    const unfinished = `${directory}.${randomBytes(6).toString('hex')}${UNFINISHED}`;
    await this.home.makeDirectories(unfinished);
    await this.initialize(unfinished, installation);
    const emptyBytes = await this.fill(unfinished, installation);
    await this.files.run(unfinished, `rm -f ${DATA}/postmaster.pid ${ARCHIVE}/*; sync -f ${DATA}`);
    await this.records.write(unfinished, { emptyBytes, bytes: emptyBytes, restriction: 'none', guard: GUARD_VERSION });
    await rename(unfinished, directory);
    return directory;
  }

  private async initialize(directory: string, { bin }: Installation): Promise<void> {
    const words = [`${bin}/initdb`, ...INITDB].join(' ');
    // `initdb` writes settings of its own, which the service's replace.
    await this.files.run(directory, `mkdir ${ARCHIVE} && ${words} >/dev/null && rm -f ${DATA}/*.conf`);
  }

  private async fill(directory: string, { countsStatements }: Installation): Promise<string> {
    const server = await this.starter.start({ directory, limits: LIMITS, restriction: 'none', entersApp: true });
    try {
      await server.asPlatform((client) => runAll(client, ROLES));
      await server.asPlatform((client) => runAll(client, [...PUBLIC_SCHEMA, ...(countsStatements ? STATISTICS : [])]), {
        database: 'app',
      });
      await guardCluster(server, countsStatements);
      return await server.asPlatform(async (client) => (await client.query<{ bytes: string }>(SIZE)).rows[0]!.bytes);
    } finally {
      await server.stop();
    }
  }
}
