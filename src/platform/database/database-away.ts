import { QueryFailedError } from 'typeorm';

const SOCKET_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOENT', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN']);
/** Being shut down, starting up, in recovery, or out of connections. */
const SERVER_CODES = new Set(['57P01', '57P02', '57P03', '53300']);
/** node-postgres says these in words only. */
const CLIENT_MESSAGES = /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/** Whether an error says that PostgreSQL cannot be reached now, in contrast to a query that it refused. */
export function isDatabaseAway(thrown: unknown): boolean {
  if (thrown instanceof QueryFailedError) return isConnectionFault(thrown.driverError as Error);
  return thrown instanceof Error && isConnectionFault(thrown);
}

function isConnectionFault(error: Error & { code?: unknown; syscall?: unknown; severity?: unknown }): boolean {
  // A name with several addresses, as localhost often is: each was tried.
  if (error instanceof AggregateError) return error.errors.every((each) => isConnectionFault(each as Error));
  const code = typeof error.code === 'string' ? error.code : '';
  if (SOCKET_CODES.has(code)) return error.syscall !== undefined && error.syscall !== 'open';
  // It takes nobody in, as while it is being restored; of a statement the same code is no more than an error.
  if (code === '55000') return error.severity === 'FATAL';
  return SERVER_CODES.has(code) || code.startsWith('08') || CLIENT_MESSAGES.test(error.message);
}
