import type { DataSource } from 'typeorm';

/** A busy pooler may by chance not give the second connection the session that the first one has just left. */
const ATTEMPTS = 3;

/**
 * Refuses a pooler in transaction mode: there a session belongs to a connection for one transaction only, so that time
 * limits, prepared statements and locks of this service would end up with others. Two connections that are open at once
 * have the same session only behind such a pooler.
 *
 * @throws {Error} for the operator.
 */
export async function requireSessions(dataSource: DataSource): Promise<void> {
  const { url = '', poolSize = 0 } = dataSource.options as { url?: string; poolSize?: number };
  if (poolSize < 2 || isSocket(url)) return;
  const runners = [dataSource.createQueryRunner(), dataSource.createQueryRunner()];
  try {
    await Promise.all(runners.map((runner) => runner.connect()));
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const sessions: unknown[] = [];
      for (const runner of runners)
        sessions.push(
          (await dataSource.query<{ pid: number }[]>('SELECT pg_backend_pid() AS pid', [], runner))[0]?.pid,
        );
      if (new Set(sessions).size === 1)
        throw new Error(
          'The PostgreSQL server of DATABASE_URL is a pooler in transaction mode, which this service cannot use. ' +
            'Set pool_mode = session for it, or name the server itself.',
        );
    }
  } finally {
    await Promise.all(runners.map((runner) => runner.release()));
  }
}

/** No pooler is reached by the socket of the embedded server, whose start should take no longer. */
const isSocket = (url: string): boolean => /@(%2F|\/)/i.test(url);
