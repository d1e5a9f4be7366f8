const SOCKET_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'NR_CLOSED']);
/** ioredis says these in words only. */
const CLIENT_MESSAGES = [
  'Connection is closed',
  'Command timed out',
  "Stream isn't writeable",
  'Reached the max retries',
];
/**
 * What Redis answers to commands that it understands and cannot carry out for the moment: it loads its data, its disk
 * or its memory is full, a script keeps it busy, or it is a replica without its master.
 */
const SERVER_STATES = [
  'LOADING',
  'MISCONF',
  'OOM',
  'BUSY',
  'READONLY',
  'MASTERDOWN',
  'NOREPLICAS',
  'CLUSTERDOWN',
  'TRYAGAIN',
  // Of a transaction: one of its commands was answered with one of the above.
  'EXECABORT',
  'ERR max number of clients reached',
];

const SAYS_SO = new RegExp(`^(${[...CLIENT_MESSAGES, ...SERVER_STATES.map((state) => `${state}\\b`)].join('|')})`);
/** Redis 6 puts what a command of a script was answered into a message about the script. */
const SCRIPT_SAYS_SO = new RegExp(`^ERR Error running script .*-(${SERVER_STATES.join('|')}) `);

/**
 * Whether an error says that Redis cannot serve a caller now and will later, in contrast to a command that it refused.
 * To those who use it a Redis that takes no writes is as good as none.
 */
export function isRedisUnavailable(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const { code, message } = thrown as Error & { code?: unknown };
  return SAYS_SO.test(message) || SCRIPT_SAYS_SO.test(message) || (typeof code === 'string' && SOCKET_CODES.has(code));
}

/** Whether Redis still answers reads: its disk or its memory is full, or it is a replica. */
export const refusesWrites = (thrown: unknown): boolean =>
  thrown instanceof Error && /^(MISCONF|OOM|READONLY|NOREPLICAS)\b/.test(thrown.message);
