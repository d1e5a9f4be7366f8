import { QueryFailedError } from 'typeorm';

/** A serialization failure, a deadlock, and a lock that was not to be had in time. */
const CODES = new Set(['40001', '40P01', '55P03']);

/** Whether a transaction failed because it met another one, so that it may well succeed when it is done again. */
export const hasMetOthers = (thrown: unknown): boolean =>
  thrown instanceof QueryFailedError && CODES.has((thrown.driverError as { code?: string }).code ?? '');
