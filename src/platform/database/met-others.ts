import { QueryFailedError } from 'typeorm';

/** These are a serialization failure, a deadlock, and a lock that was not available in time. */
const CODES = new Set(['40001', '40P01', '55P03']);
/** A row waited for a partition which then was no longer the one for it: another was created or removed meanwhile. */
const CHECK_VIOLATION = '23514';

interface DriverError {
  readonly code?: string;
  /** Rules of tables have names, the bounds of partitions have none. */
  readonly constraint?: string;
}

/** True when a transaction failed because of a concurrent one, so that a retry may succeed. */
export function hasMetOthers(thrown: unknown): boolean {
  if (!(thrown instanceof QueryFailedError)) return false;
  const { code = '', constraint } = thrown.driverError as DriverError;
  return CODES.has(code) || (code === CHECK_VIOLATION && constraint === undefined);
}
