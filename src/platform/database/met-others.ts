import { QueryFailedError } from 'typeorm';

/** These are a serialization failure, a deadlock, and a lock that was not available in time. */
const CODES = new Set(['40001', '40P01', '55P03']);

/** True when a transaction failed because of a concurrent one, so that a retry may succeed. */
export const hasMetOthers = (thrown: unknown): boolean =>
  thrown instanceof QueryFailedError && CODES.has((thrown.driverError as { code?: string }).code ?? '');
