import type { DataSource } from 'typeorm';
import { requireSessions } from './sessions-check.js';

/** A machine that is booting may take several times the limit of one attempt. */
const ATTEMPTS = 5;

/**
 * Opens the connection pool of a process that starts. A database that is too slow to answer is asked again, a few
 * times; any other error is final.
 *
 * @throws {Error} of the last attempt, or when the connections lead to a pooler that shares sessions.
 */
export async function connect(dataSource: DataSource): Promise<DataSource> {
  for (let attempt = 1; ; attempt++) {
    try {
      await dataSource.initialize();
      break;
    } catch (error) {
      if (attempt === ATTEMPTS || !isTimeout(error)) throw error;
    }
  }
  try {
    await requireSessions(dataSource);
    return dataSource;
  } catch (error) {
    await dataSource.destroy();
    throw error;
  }
}

/** The driver tells a connection that took too long from a refused one by its message only. */
const isTimeout = (error: unknown): boolean => error instanceof Error && error.message.includes('connection timeout');
