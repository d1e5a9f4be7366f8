const SOCKET_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'NR_CLOSED']);
/** ioredis reports these errors by message only. */
const CLIENT_MESSAGES = [
  'Connection is closed',
  'Command timed out',
  'Command aborted',
  "Stream isn't writeable",
  'Reached the max retries',
  'All sentinels are unreachable',
  'Redis did not confirm a write',
];
/**
 * Replies of Redis to commands that it understands and cannot carry out at the moment: it is loading its data, its disk
 * or its memory is full, a script keeps it busy, or it is a replica without its master.
 */
const SERVER_STATES = [
  'LOADING',
  'MISCONF',
  'OOM',
  'BUSY',
  'READONLY',
  'UNBLOCKED',
  'MASTERDOWN',
  'NOREPLICAS',
  'CLUSTERDOWN',
  'TRYAGAIN',
  // A transaction is answered with this when one of its commands got one of the replies above.
  'EXECABORT',
  'ERR max number of clients reached',
];

const SAYS_SO = new RegExp(`^(${[...CLIENT_MESSAGES, ...SERVER_STATES.map((state) => `${state}\\b`)].join('|')})`);
/** Redis 6 puts the reply to a command of a script into a message about the script. */
const SCRIPT_SAYS_SO = new RegExp(`^ERR Error running script .*-(${SERVER_STATES.join('|')}) `);

/**
 * True when Redis cannot serve a caller now but later will, in contrast to a command that it refused. A Redis that
 * accepts no writes counts as unavailable.
 */
export function isRedisUnavailable(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const { code, message } = thrown as Error & { code?: unknown };
  return SAYS_SO.test(message) || SCRIPT_SAYS_SO.test(message) || (typeof code === 'string' && SOCKET_CODES.has(code));
}

/** True when Redis still answers reads: its disk or its memory is full, or it is a replica. */
export const refusesWrites = (thrown: unknown): boolean =>
  thrown instanceof Error && /^(MISCONF|OOM|READONLY|NOREPLICAS)\b/.test(thrown.message);
