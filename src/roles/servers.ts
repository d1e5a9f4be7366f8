import type { Config } from '../platform/config/config.js';
import type { Log } from '../platform/logging/log.js';
import { DiskReserve } from './embedded/disk-reserve.js';
import { startEmbeddedPostgres } from './embedded/embedded-postgres.js';
import { startEmbeddedRedis } from './embedded/embedded-redis.js';
import { supervise, type SupervisedServer } from './embedded/supervised-server.js';

/** The PostgreSQL and Redis servers of this process: those in the settings, or else embedded ones. */
export interface Servers {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly embedded: readonly string[];
  /** True while the embedded servers run; one that died is being restarted. */
  areUp(): boolean;
  /** Stops Redis before PostgreSQL, because the data of Redis can be rebuilt from PostgreSQL. */
  stop(): Promise<void>;
}

/** @throws {Error} with a message for the operator when an embedded server cannot start. */
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

/** Adds the setting to check to an error of the file system. */
function explainServer(error: NodeJS.ErrnoException): Error {
  return error.path === undefined || error.syscall?.startsWith('spawn')
    ? error
    : new Error(`DATA_DIR cannot be used: ${error.message}.`, { cause: error });
}
