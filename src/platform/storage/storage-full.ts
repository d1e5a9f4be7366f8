import { QueryFailedError } from 'typeorm';

/** No room, no room within a quota, and a disk that has become read-only. */
const FILE_CODES = new Set(['ENOSPC', 'EDQUOT', 'EROFS']);
/** The same of PostgreSQL: `disk_full`, and `io_error` of a disk that cannot be written. */
const SERVER_CODES = new Set(['53100', '58030']);

/**
 * Whether an error says that something could not be stored because its disk takes nothing more. Nothing was stored
 * then.
 */
export function isStorageFull(thrown: unknown): boolean {
  const error = thrown instanceof QueryFailedError ? (thrown.driverError as unknown) : thrown;
  if (!(error instanceof Error)) return false;
  const { code } = error as Error & { code?: unknown };
  return typeof code === 'string' && (FILE_CODES.has(code) || SERVER_CODES.has(code));
}
