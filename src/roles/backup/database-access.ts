import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Config } from '../../platform/config/config.js';
import type { Log } from '../../platform/logging/log.js';
import { embeddedPostgresUrl, startEmbeddedPostgres } from '../embedded/embedded-postgres.js';

/**
 * The database of the service while it runs or not: the one that `DATABASE_URL` names, else our own, which is started
 * where no service has it running.
 *
 * @throws {Error} when there is none yet.
 */
export async function withDatabase<T>(config: Config, log: Log, use: (url: string) => Promise<T>): Promise<T> {
  if (config.databaseUrl !== undefined) return use(config.databaseUrl);
  if (!existsSync(join(config.dataDir, 'postgres', 'data')))
    throw new Error(`There is no data in ${config.dataDir}. Set DATA_DIR to that of the service.`);
  const running = embeddedPostgresUrl(config.dataDir);
  if (running !== undefined && (await answers(running))) return use(running);
  return withStarted(config, log, use);
}

/** The same, made anew where it is our own. @throws {Error} when there is data already, or a service runs on it. */
export async function withNewDatabase<T>(config: Config, log: Log, use: (url: string) => Promise<T>): Promise<T> {
  if (config.databaseUrl !== undefined) return use(config.databaseUrl);
  if (existsSync(join(config.dataDir, 'postgres')))
    throw new Error(`${config.dataDir} holds data already. Restore into a new DATA_DIR, so that nothing is lost.`);
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
