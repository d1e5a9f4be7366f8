const SOCKET_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'NR_CLOSED']);
/** ioredis and Redis say these in words only. */
const MESSAGES = /^(Connection is closed|Command timed out|Stream isn't writeable|Reached the max retries|LOADING |MASTERDOWN |READONLY )/;

/** Whether an error says that Redis cannot be reached now, in contrast to a command that it refused. */
export function isRedisAway(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const code = (thrown as Error & { code?: unknown }).code;
  return MESSAGES.test(thrown.message) || (typeof code === 'string' && SOCKET_CODES.has(code));
}
