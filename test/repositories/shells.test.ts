import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { HandedShell } from '../../src/modules/repositories/git/handed-shell.js';
import { Shells } from '../../src/modules/repositories/git/shells.js';
import type { GitProcess } from '../../src/modules/repositories/git/waiting-shell.js';
import { descendantsOf } from '../support/processes.js';
import { eventually } from '../support/test-app.js';

const FILE_BYTES = 1_048_576;
const HOST = join(__dirname, '../../src/modules/repositories/git/shell-host.cjs');

/** Asks the host for shells, and dies while their pipes are handed over. */
const KILLED = `
const { fork } = require('node:child_process');
const host = fork(${JSON.stringify(HOST)}, [], { detached: true, stdio: ['pipe', 'ignore', 'ignore', 'ipc'] });
console.log(host.pid);
const options = { detached: true, stdio: ['pipe', 'pipe', 'pipe', 'pipe'] };
host.once('message', () => {
  for (let id = 1; id < 8; id++) host.send({ id, file: '/bin/sh', args: ['-c', 'read work <&3'], options });
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), Number(process.argv[1]));
});`;

/** The processes that start shells for this one. */
const hosts = (): number[] =>
  descendantsOf(process.pid)
    .filter(({ pid, name }) => name !== 'sh' && commandOf(pid).includes('shell-host.cjs'))
    .map(({ pid }) => pid);

const statOf = (pid: number): string => readFileSync(`/proc/${pid}/stat`, 'utf8');

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

describe('shells', () => {
  const shells = new Shells(undefined);
  const sh = async (script: string): Promise<GitProcess> =>
    (await shells.take()).begin({ args: ['/bin/sh', '-c', script], fileBytes: FILE_BYTES, environment: {} });
  const ended = (child: GitProcess): Promise<unknown[]> => once(child, 'close');

  afterAll(async () => {
    shells.close();
    await eventually(() => hosts().length === 0, 'the host has ended');
  });

  it('are there at once, and come from the host as soon as it runs', async () => {
    const first = await sh('echo first');
    expect(first).not.toBeInstanceOf(HandedShell);
    expect(await text(first.stdout)).toBe('first\n');
    const child = await untilFromHost('cat; echo said >&2; exit 3');
    child.stdin.end('in');
    const [out, said, end] = await Promise.all([text(child.stdout), text(child.stderr), ended(child)]);
    expect([out, said, end]).toEqual(['in', 'said\n', [3, null]]);
    expect([child.exitCode, child.signalCode]).toEqual([3, null]);
  });

  it('answer many at once, each with its own output', async () => {
    const said = await Promise.all(
      Array.from({ length: 20 }, async (_, number) => {
        const child = await sh(`head -c 300000 /dev/zero | tr '\\0' ${number % 10}; echo; exit ${number}`);
        const [out, [code]] = await Promise.all([text(child.stdout), ended(child)]);
        return [out.length, out[0], code];
      }),
    );
    expect(said).toEqual(Array.from({ length: 20 }, (_, number) => [300_001, String(number % 10), number]));
  });

  it('end with a signal, as a child of our own does, also while nobody reads', async () => {
    const child = await untilFromHost('echo unread; sleep 60');
    process.kill(-child.pid!, 'SIGTERM');
    expect(await ended(child)).toEqual([null, 'SIGTERM']);
  });

  it('keep what was not read yet when the program has ended', async () => {
    const child = await untilFromHost('echo late');
    child.stdout.pause();
    await eventually(() => child.exitCode !== null, 'it has ended');
    expect(await text(child.stdout)).toBe('late\n');
  });

  it('go on at Ctrl-C, which a terminal sends to the process group of the service', async () => {
    const child = await untilFromHost('sleep 0.3; echo finished');
    const [host] = hosts();
    const groupOf = (pid: number): number => Number(/\) \S \d+ (\d+)/.exec(statOf(pid))![1]);
    expect(groupOf(host!)).not.toBe(groupOf(process.pid));
    expect(await text(child.stdout)).toBe('finished\n');
  });

  it.each([0, 5, 40])('leave no host behind when the service is killed, %i ms after it asked for some', async (ms) => {
    const killed = spawn(process.execPath, ['-e', KILLED, String(ms)], { stdio: ['ignore', 'pipe', 'ignore'] });
    const pid = Number(await text(killed.stdout));
    expect(pid).toBeGreaterThan(0);
    await eventually(() => !existsSync(`/proc/${pid}`), 'the host has ended');
  });

  it('end when their host is killed, and others are there all the same', async () => {
    const child = await untilFromHost('sleep 60');
    const [host, ...others] = hosts();
    expect(others).toEqual([]);
    process.kill(host!, 'SIGKILL');
    expect(await ended(child)).toEqual([null, 'SIGKILL']);
    const next = await sh('echo next');
    expect(await text(next.stdout)).toBe('next\n');
  });

  /** The first ones are started by this process. */
  async function untilFromHost(script: string): Promise<GitProcess> {
    let child: GitProcess | undefined;
    await eventually(async () => {
      child = await sh(script);
      if (child instanceof HandedShell) return true;
      process.kill(-child.pid!, 'SIGKILL');
      return false;
    }, 'the host starts shells');
    return child!;
  }
});
