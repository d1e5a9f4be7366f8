import { isRedisUnavailable } from './redis-unavailable.js';

const withCode = (message: string, code: string): Error => Object.assign(new Error(message), { code });

describe('isRedisUnavailable', () => {
  it.each([
    'LOADING Redis is loading the dataset in memory',
    "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
    'MISCONF Errors writing to the AOF file: No space left on device',
    "OOM command not allowed when used memory > 'maxmemory'. script: 5f1c, on @user_script:28.",
    'BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.',
    "READONLY You can't write against a read only replica.",
    "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
    'NOREPLICAS Not enough good replicas to write.',
    'EXECABORT Transaction discarded because of previous errors.',
    'ERR max number of clients reached',
    'ERR Error running script (call to f_5f1c): @user_script:28: @user_script: 28: ' +
      '-OOM command not allowed when used memory',
    'ERR Error running script (call to f_5f1c): @user_script:28: @user_script: 28: ' +
      '-MISCONF Redis is configured to save',
    'Connection is closed.',
    'Command timed out',
    'Command aborted due to connection close',
    'UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)',
    'Redis did not confirm a write: its replicas do not have it yet.',
    'All sentinels are unreachable. Retrying from scratch after 250ms.',
  ])('is true for %s', (message) => {
    expect(isRedisUnavailable(new Error(message))).toBe(true);
  });

  it('is true for a lost connection', () => {
    expect(isRedisUnavailable(withCode('read ECONNRESET', 'ECONNRESET'))).toBe(true);
  });

  it.each([
    'WRONGTYPE Operation against a key holding the wrong kind of value',
    "ERR unknown command 'OOM'",
    'ERR Error running script (call to f_5f1c): @user_script:3: attempt to index a nil value',
    'NOSCRIPT No matching script.',
    'BUSYGROUP Consumer Group name already exists',
  ])('does not hold for %s', (message) => {
    expect(isRedisUnavailable(new Error(message))).toBe(false);
  });
});
