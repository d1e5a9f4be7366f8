// Jest loads this file outside of its own resolution of `./x.js`.
import './typescript-hook.cjs';
import 'reflect-metadata';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type EmbeddedServer } from '../../src/roles/embedded/embedded-server.js';
import { makeMemoryDirectory, makeScratchDirectory } from './scratch-directory.js';
import { templateDatabase, withAdmin, withDatabase } from './test-database.js';

export interface TestServers {
  readonly directory: string;
  /** Where the empty cluster of project databases is kept, see shared-cluster-template.ts. */
  readonly templates: string;
  readonly started: readonly EmbeddedServer[];
}

declare global {
  var testServers: TestServers | undefined;
}

/**
 * Before all service tests: sees to the system's packages, starts PostgreSQL and Redis of our own, and migrates the
 * database that each test's own is cloned from. TEST_POSTGRES_URL and TEST_REDIS_URL tell the workers where they are.
 *
 * When they are set already those servers are used, for an environment that provides them; the tests create databases
 * there and empty Redis databases. DATABASE_URL and REDIS_URL, which may be someone's real ones, are never used and
 * are taken out of the environment, so that no service under test can find them either.
 */
// Jest asks for a default export here.
export default async function startServers(): Promise<void> {
  delete process.env['DATABASE_URL'];
  delete process.env['REDIS_URL'];
  requireSystemPackages();

  // The import comes after the check, which reports missing programs in plain words.
  const { startEmbeddedPostgres } = await import('../../src/roles/embedded/embedded-postgres.js');
  const { startEmbeddedRedis } = await import('../../src/roles/embedded/embedded-redis.js');
  const { migrate } = await import('../../src/roles/migrate.js');

  const directory = makeMemoryDirectory();
  const started: EmbeddedServer[] = [];
  // Beside the data of the test files, as its files are linked.
  const templates = makeScratchDirectory();
  globalThis.testServers = { directory, templates, started };
  process.env['TEST_CLUSTER_TEMPLATES'] = templates;
  const options = { dataDir: directory, durable: false };

  process.env['TEST_POSTGRES_URL'] ??= await start(startEmbeddedPostgres(options));
  process.env['TEST_REDIS_URL'] ??= await start(startEmbeddedRedis(options));
  const { findDiskMode } = await import('./shared-disk-mode.js');
  await findDiskMode(join(templates, 'builds'));
  // Several runs may share a server that was given to them.
  process.env['TEST_TEMPLATE_DATABASE'] = `template_${randomBytes(6).toString('hex')}`;

  await withAdmin((admin) => admin.query(`CREATE DATABASE ${templateDatabase()}`));
  await migrate(withDatabase(templateDatabase()));

  async function start(starting: Promise<EmbeddedServer>): Promise<string> {
    const server = await starting;
    started.push(server);
    return server.url;
  }
}

/** Runs in its own process, because its message is for the user and must be the last output. */
function requireSystemPackages(): void {
  const check = spawnSync(process.execPath, [join(__dirname, '../../scripts/system-packages.mjs')], {
    stdio: 'inherit',
  });
  if (check.status !== 0) process.exit(1);
}
