import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WITH_EGRESS } from '../../src/platform/egress/egress-proxy.js';

/** How the exit of Node behaves when it waits for a thread that waits as well. */
const NEVER_EXITS = 'process.reallyExit = () => { for (;;); };';
const OLD_NODE = 'delete process.execve;';
const GIVE_UP_AFTER_MS = 60_000;

describe('the program that leads others to the proxy', () => {
  const directory = mkdtempSync(join(tmpdir(), 'with-egress-'));
  afterAll(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  /** Runs it where a build has it, after some code of the test. */
  function run(command: readonly string[], before = '') {
    const hook = join(directory, 'before.cjs');
    writeFileSync(hook, before);
    const places = [
      '--ro-bind',
      '/',
      '/',
      '--dev',
      '/dev',
      '--proc',
      '/proc',
      '--tmpfs',
      '/run',
      '--dir',
      '/run/egress',
    ];
    const { status, signal, stdout, stderr } = spawnSync(
      'bwrap',
      [...places, '--unshare-net', process.execPath, '--require', hook, WITH_EGRESS, ...command],
      { encoding: 'utf8', timeout: GIVE_UP_AFTER_MS },
    );
    return { status, signal, stdout, stderr };
  }

  it.each([
    ['0', 'echo out; echo err >&2; exit 0', 0],
    ['another number', 'echo out; echo err >&2; exit 203', 203],
    ['what a shell makes of a signal', 'echo out; echo err >&2; kill -TERM $$', 143],
  ])('ends with the status of its program, %s, although Node would not exit', (_which, script, status) => {
    const ended = { status, signal: null, stdout: 'out\n', stderr: 'err\n' };
    expect(run(['/bin/sh', '-c', script], NEVER_EXITS)).toEqual(ended);
    expect(run(['/bin/sh', '-c', script], OLD_NODE)).toEqual(ended);
  });

  it('ends with 127 when there is no such program', () => {
    const ended = { status: 127, signal: null, stdout: '', stderr: '/absent: spawn /absent ENOENT\n' };
    expect(run(['/absent'], NEVER_EXITS)).toEqual(ended);
    expect(run(['/absent'], OLD_NODE)).toEqual(ended);
  });
});
