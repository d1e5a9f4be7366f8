import type { Config } from '../platform/config/config.js';
import type { Log } from '../platform/logging/log.js';
import { startEmbeddedPostgres } from './embedded/embedded-postgres.js';
import { startEmbeddedRedis } from './embedded/embedded-redis.js';
import { supervise, type SupervisedServer } from './embedded/supervised-server.js';
import { explainServer } from './explain.js';

/** The PostgreSQL and the Redis of this process: those that the settings name, else of its own. */
export interface Servers {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly embedded: readonly string[];
  /** Redis before PostgreSQL: what Redis holds can be made again from what PostgreSQL holds. */
  stop(): Promise<void>;
}

/** @throws {Error} in words for an operator when a server of our own cannot start. */
export async function openServers(config: Config, log: Log): Promise<Servers> {
  const options = { dataDir: config.dataDir, log: (line: string) => { log.info({}, line); } };
  const starts = await Promise.allSettled([
    config.databaseUrl === undefined ? supervise('PostgreSQL', () => startEmbeddedPostgres(options), log) : undefined,
    config.redisUrl === undefined ? supervise('Redis', () => startEmbeddedRedis(options), log) : undefined,
  ]);
  const [postgres, redis] = starts.map((start) => (start.status === 'fulfilled' ? start.value : undefined));
  const stop = (): Promise<void> => stopInOrder([redis, postgres]);

  const failure = starts.find((start) => start.status === 'rejected');
  if (failure !== undefined) {
    await stop();
    throw explainServer(failure.reason as Error);
  }
  return {
    databaseUrl: config.databaseUrl ?? postgres!.url,
    redisUrl: config.redisUrl ?? redis!.url,
    embedded: [...(postgres ? ['PostgreSQL'] : []), ...(redis ? ['Redis'] : [])],
    stop,
  };
}

async function stopInOrder(servers: readonly (SupervisedServer | undefined)[]): Promise<void> {
  for (const server of servers) await server?.stop();
}
