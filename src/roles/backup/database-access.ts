import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Config } from '../../platform/config/config.js';
import type { Log } from '../../platform/logging/log.js';
import { embeddedPostgresUrl, startEmbeddedPostgres } from '../embedded/embedded-postgres.js';

/**
 * Uses the database of the service, whether the service runs or not: the one of `DATABASE_URL`, or else the embedded
 * one, which is started unless a service runs it.
 *
 * @throws {Error} when there is no database yet.
 */
export async function withDatabase<T>(config: Config, log: Log, use: (url: string) => Promise<T>): Promise<T> {
  if (config.directDatabaseUrl !== undefined) return use(config.directDatabaseUrl);
  if (!existsSync(join(config.dataDir, 'postgres', 'data')))
    throw new Error(`There is no data in ${config.dataDir}. Set DATA_DIR to the data directory of the service.`);
  const running = embeddedPostgresUrl(config.dataDir);
  if (running !== undefined && (await answers(running))) return use(running);
  return withStarted(config, log, use);
}

/** Like withDatabase, but creates an embedded database. @throws {Error} when it exists already. */
export async function withNewDatabase<T>(config: Config, log: Log, use: (url: string) => Promise<T>): Promise<T> {
  if (config.directDatabaseUrl !== undefined) return use(config.directDatabaseUrl);
  if (existsSync(join(config.dataDir, 'postgres')))
    throw new Error(`${config.dataDir} already holds data. Set DATA_DIR to a new directory.`);
  return withStarted(config, log, use);
}

async function withStarted<T>({ dataDir }: Config, log: Log, use: (url: string) => Promise<T>): Promise<T> {
  const server = await startEmbeddedPostgres({
    dataDir,
    log: (line) => {
      log.info({}, line);
    },
  });
  try {
    return await use(server.url);
  } finally {
    await server.stop();
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
