import type { Config } from '../platform/config/config.js';
import type { Log } from '../platform/logging/log.js';
import { DiskReserve } from './embedded/disk-reserve.js';
import { startEmbeddedPostgres } from './embedded/embedded-postgres.js';
import { startEmbeddedRedis } from './embedded/embedded-redis.js';
import { supervise, type SupervisedServer } from './embedded/supervised-server.js';

/** The PostgreSQL and the Redis of this process: those that the settings name, else of its own. */
export interface Servers {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly embedded: readonly string[];
  /** Whether those of our own run; one that has died is being started again. */
  areUp(): boolean;
  /** Redis before PostgreSQL: what Redis holds can be made again from what PostgreSQL holds. */
  stop(): Promise<void>;
}

/** @throws {Error} in words for an operator when a server of our own cannot start. */
export async function openServers(config: Config, log: Log): Promise<Servers> {
  const reserve = new DiskReserve(
    config.dataDir,
    config.databaseUrl === undefined ? config.storageReserveBytes : 0,
    log,
  );
  await reserve.keep();
  const options = {
    dataDir: config.dataDir,
    log: (line: string) => {
      log.info({}, line);
    },
  };
  const starts = await Promise.allSettled([
    config.databaseUrl === undefined ? supervise('PostgreSQL', () => startEmbeddedPostgres(options), log) : undefined,
    config.redisUrl === undefined ? supervise('Redis', () => startEmbeddedRedis(options), log) : undefined,
  ]);
  const [postgres, redis] = starts.map((start) => (start.status === 'fulfilled' ? start.value : undefined));
  const stop = (): Promise<void> => stopInOrder([redis, postgres, reserve]);

  const failure = starts.find((start) => start.status === 'rejected');
  if (failure !== undefined) {
    await stop();
    throw explainServer(failure.reason as Error);
  }
  return {
    databaseUrl: config.databaseUrl ?? postgres!.url,
    redisUrl: config.redisUrl ?? redis!.url,
    embedded: [...(postgres ? ['PostgreSQL'] : []), ...(redis ? ['Redis'] : [])],
    areUp: () => [postgres, redis].every((server) => server?.isUp() !== false),
    stop,
  };
}

async function stopInOrder(servers: readonly (Pick<SupervisedServer, 'stop'> | undefined)[]): Promise<void> {
  for (const server of servers) await server?.stop();
}

/** Why a server of our own cannot be started, where only the file system has spoken so far. */
function explainServer(error: NodeJS.ErrnoException): Error {
  return error.path === undefined || error.syscall?.startsWith('spawn')
    ? error
    : new Error(`DATA_DIR cannot be used: ${error.message}.`, { cause: error });
}
