import { QueryFailedError } from 'typeorm';

const CODES = new Set(['40001', '40P01']);

/** Whether a transaction failed because it met another one, so that it may well succeed when it is done again. */
export const hasMetOthers = (thrown: unknown): boolean =>
  thrown instanceof QueryFailedError && CODES.has((thrown.driverError as { code?: string }).code ?? '');
