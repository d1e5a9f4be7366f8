import { QueryFailedError, QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError } from 'typeorm';
import { hasMetOthers } from './met-others.js';

const SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/**
 * The system calls of a connection. The same codes have another meaning for a file, for example `ENOENT` from `open`.
 */
const SOCKET_CALLS = new Set(['connect', 'read', 'write', 'getaddrinfo']);
/**
 * PostgreSQL is shutting down, starting, recovering, or a standby; has no connection or memory left; or ended an idle
 * session.
 */
const SERVER_CODES = new Set([
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  '53000',
  '53200',
  '53300',
  '53400',
  '25006',
  '25P03',
  '25P04',
]);
/**
 * The statement timeout is the only thing that cancels a statement of this service: the server is too busy to answer in
 * time.
 */
const STATEMENT_TIMEOUT = '57014';
/** The drivers report these errors by message only. */
const CLIENT_MESSAGES = new RegExp(
  `^(${[
    'Connection terminated',
    'timeout exceeded when trying to connect',
    'timeout expired',
    'Query read timeout',
    'Client has encountered a connection error',
    'Client was closed',
    'Cannot use a pool after calling end',
    'Driver not Connected',
  ].join('|')})`,
);

/**
 * True when PostgreSQL cannot serve a caller now but later will, in contrast to a query that it refused. Nothing was
 * committed, unless the connection broke during `COMMIT`.
 */
export function isDatabaseUnavailable(thrown: unknown): boolean {
  // TypeORM releases a query runner when its connection breaks, and the next query fails with one of these two classes
  // only. A query after the end of its transaction fails with another error: see UnitOfWork.
  if (thrown instanceof QueryRunnerAlreadyReleasedError || thrown instanceof QueryRunnerProviderAlreadyReleasedError)
    return true;
  if (thrown instanceof QueryFailedError) return hasMetOthers(thrown) || isConnectionFault(thrown.driverError as Error);
  return thrown instanceof Error && isConnectionFault(thrown);
}

function isConnectionFault(error: Error & { code?: unknown; syscall?: unknown; severity?: unknown }): boolean {
  // The name has several addresses, as localhost often does, and each was tried.
  if (error instanceof AggregateError) {
    return error.errors.length > 0 && error.errors.every((each) => isConnectionFault(each as Error));
  }
  const code = typeof error.code === 'string' ? error.code : '';
  if (SOCKET_CODES.has(code)) return SOCKET_CALLS.has(String(error.syscall));
  // The server ended the session or never began it. For a single statement the same code may be an ordinary error.
  if (error.severity === 'FATAL' || error.severity === 'PANIC') return true;
  return (
    SERVER_CODES.has(code) || code === STATEMENT_TIMEOUT || code.startsWith('08') || CLIENT_MESSAGES.test(error.message)
  );
}
