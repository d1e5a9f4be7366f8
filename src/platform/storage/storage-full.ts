import { QueryFailedError } from 'typeorm';

/** These mean no room, no room within a quota, and a disk that has become read-only. */
const FILE_CODES = new Set(['ENOSPC', 'EDQUOT', 'EROFS']);
/** PostgreSQL reports the same as `disk_full`, and as `io_error` for a disk that cannot be written. */
const SERVER_CODES = new Set(['53100', '58030']);

/** True when something could not be stored because its disk is full. Nothing was stored then. */
export function isStorageFull(thrown: unknown): boolean {
  const error = thrown instanceof QueryFailedError ? (thrown.driverError as unknown) : thrown;
  if (!(error instanceof Error)) return false;
  const { code } = error as Error & { code?: unknown };
  return typeof code === 'string' && (FILE_CODES.has(code) || SERVER_CODES.has(code));
}
