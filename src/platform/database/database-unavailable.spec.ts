import { QueryFailedError, QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError } from 'typeorm';
import { isDatabaseUnavailable } from './database-unavailable.js';

const withFacts = (message: string, facts: object): Error => Object.assign(new Error(message), facts);
const refused = (code: string, severity = 'ERROR'): Error =>
  new QueryFailedError('SELECT 1', [], withFacts('refused', { code, severity }));

describe('isDatabaseUnavailable', () => {
  it.each([
    ['a shutdown', refused('57P01', 'FATAL')],
    ['a crash of another session', refused('57P02', 'FATAL')],
    ['a start', withFacts('the database system is starting up', { code: '57P03', severity: 'FATAL' })],
    ['a recovery', refused('57P03')],
    ['a lost connection', refused('08006')],
    ['a protocol violation', refused('08P01')],
    ['no connection left', withFacts('sorry, too many clients already', { code: '53300', severity: 'FATAL' })],
    ['no memory left', refused('53200')],
    ['a standby', refused('25006')],
    ['a session that stood still', refused('25P03', 'FATAL')],
    ['any other end of a session', refused('28P01', 'FATAL')],
    ['a statement time-out', refused('57014')],
    ['a deadlock', refused('40P01')],
    ['a serialization failure', refused('40001')],
    ['a row whose partition was created meanwhile', refused('23514')],
    ['a query runner whose connection broke', new QueryRunnerAlreadyReleasedError()],
    ['the manager of a query runner whose connection broke', new QueryRunnerProviderAlreadyReleasedError()],
    ['a broken connection', new QueryFailedError('COMMIT', [], new Error('Connection terminated unexpectedly'))],
    ['a connection that broke before', new Error('Client has encountered a connection error and is not queryable')],
    ['a full pool', new Error('timeout exceeded when trying to connect')],
    ['a connection that took too long', new Error('Connection terminated due to connection timeout')],
    ['a pool that closes', new Error('Cannot use a pool after calling end on the pool')],
    ['a missing socket', withFacts('connect ENOENT', { code: 'ENOENT', syscall: 'connect' })],
    ['a reset', withFacts('read ECONNRESET', { code: 'ECONNRESET', syscall: 'read' })],
    [
      'a name with two addresses',
      new AggregateError(
        [1, 2].map(() => withFacts('connect ECONNREFUSED', { code: 'ECONNREFUSED', syscall: 'connect' })),
      ),
    ],
  ])('holds for %s', (_name, error) => {
    expect(isDatabaseUnavailable(error)).toBe(true);
  });

  it.each([
    ['a broken constraint', refused('23505')],
    ['a broken rule', new QueryFailedError('SELECT 1', [], withFacts('no', { code: '23514', constraint: 'a_rule' }))],
    ['a fault of syntax', refused('42601')],
    ['an object that is not in the needed state', refused('55000')],
    ['a missing file', withFacts('ENOENT: no such file', { code: 'ENOENT', syscall: 'open' })],
    ['a missing directory', withFacts('ENOENT: no such file', { code: 'ENOENT', syscall: 'scandir' })],
    ['a fault of ours', new TypeError('undefined is not a function')],
    ['a query after its transaction', new Error('A query came after the end of its transaction.')],
    ['an empty list of faults', new AggregateError([])],
    ['no error at all', 'Connection terminated'],
  ])('does not hold for %s', (_name, error) => {
    expect(isDatabaseUnavailable(error)).toBe(false);
  });
});
