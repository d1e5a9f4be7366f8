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
/** The calls of a connection. The same codes from a call on a file, as `ENOENT` of `open`, say something else. */
const SOCKET_CALLS = new Set(['connect', 'read', 'write', 'getaddrinfo']);
/**
 * The server shuts down, starts, recovers, is a standby, has no connection or memory left, or ended an idle session.
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
 * The statement time-out, the only thing that cancels a statement of ours: the server is too busy to answer in time.
 */
const STATEMENT_TIMEOUT = '57014';
/** The drivers say these in words only. */
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
 * Whether an error says that PostgreSQL cannot serve a caller now and will later, in contrast to a query that it
 * refused. Nothing was committed, unless the connection broke while its `COMMIT` was under way.
 */
export function isDatabaseUnavailable(thrown: unknown): boolean {
  // TypeORM releases a query runner when its connection breaks, and that is all the next query is told, by one class or
  // the other. A query after the end of its transaction fails with another error: see UnitOfWork.
  if (thrown instanceof QueryRunnerAlreadyReleasedError || thrown instanceof QueryRunnerProviderAlreadyReleasedError)
    return true;
  if (thrown instanceof QueryFailedError) return hasMetOthers(thrown) || isConnectionFault(thrown.driverError as Error);
  return thrown instanceof Error && isConnectionFault(thrown);
}

function isConnectionFault(error: Error & { code?: unknown; syscall?: unknown; severity?: unknown }): boolean {
  // A name with several addresses, as localhost often is: each was tried.
  if (error instanceof AggregateError) {
    return error.errors.length > 0 && error.errors.every((each) => isConnectionFault(each as Error));
  }
  const code = typeof error.code === 'string' ? error.code : '';
  if (SOCKET_CODES.has(code)) return SOCKET_CALLS.has(String(error.syscall));
  // The server ended the session, or never began it. Of a statement the same code may be no more than an error.
  if (error.severity === 'FATAL' || error.severity === 'PANIC') return true;
  return (
    SERVER_CODES.has(code) || code === STATEMENT_TIMEOUT || code.startsWith('08') || CLIENT_MESSAGES.test(error.message)
  );
}
