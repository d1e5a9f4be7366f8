import { type Ended } from '../../../platform/isolation/isolation-spec.js';
import { outcomeOf } from './outcome.js';

const none = { bytes: Buffer.alloc(0), truncated: false };
const ended = (facts: Partial<Ended>): Ended => ({
  cause: 'exit',
  interrupted: false,
  exitStatus: 0,
  durationMs: 1,
  cpuMs: 1,
  memoryPeakBytes: 1,
  stdout: none,
  stderr: none,
  report: Buffer.alloc(0),
  ...facts,
});
const outcome = (facts: Partial<Ended>, report = {}): ReturnType<typeof outcomeOf> =>
  outcomeOf(ended(facts), report, { name: 'node', version: '24' });

describe('the outcome of a run', () => {
  it.each([
    ['wall_time', 'timed_out'],
    ['cpu_time', 'timed_out'],
    ['memory', 'out_of_memory'],
    ['output', 'output_limit'],
    ['scratch_files', 'failed'],
    ['tasks', 'failed'],
  ] as const)('ended by %s is %s', (cause, status) => {
    expect(outcome({ cause, exitStatus: null })).toMatchObject({ status, exitCode: null, signal: 'SIGKILL' });
  });

  it('keeps the exit code of a run that wrote too much and ended by itself', () => {
    expect(outcome({ cause: 'output', exitStatus: 3 })).toMatchObject({
      status: 'output_limit',
      exitCode: 3,
      signal: null,
    });
  });

  it('tells an exit code above 128 from a signal by the program’s word', () => {
    expect(outcome({ exitStatus: 134 })).toMatchObject({ exitCode: null, signal: 'SIGABRT' });
    expect(outcome({ exitStatus: 134 }, { exit: 134 })).toMatchObject({ exitCode: 134, signal: null });
    expect(outcome({ exitStatus: 134 }, { exit: 0 })).toMatchObject({ exitCode: null, signal: 'SIGABRT' });
    expect(outcome({ exitStatus: 255 })).toMatchObject({ exitCode: 255, signal: null });
  });

  it('knows a heap that V8 gave up on, and not one that is only talked about', () => {
    const stderr = {
      bytes: Buffer.from('FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory'),
      truncated: false,
    };
    expect(outcome({ exitStatus: 134, stderr }).status).toBe('out_of_memory');
    expect(outcome({ exitStatus: 1, stderr }).status).toBe('failed');
  });

  it('knows a MemoryError that ended the run', () => {
    const error = { name: 'MemoryError', message: '' };
    expect(outcome({ exitStatus: 1 }, { error })).toMatchObject({ status: 'out_of_memory', error });
    expect(outcome({ exitStatus: 0 }, { error })).not.toHaveProperty('error');
  });

  it('leaves out a character that the limit cut in two, and shows other bytes as U+FFFD', () => {
    const bytes = Buffer.from([0x61, 0xff, 0xe2, 0x82]);
    expect(outcome({ stdout: { bytes, truncated: true } }).stdout).toBe('a\ufffd');
    expect(outcome({ stdout: { bytes, truncated: false } }).stdout).toBe('a\ufffd\ufffd');
  });
});
