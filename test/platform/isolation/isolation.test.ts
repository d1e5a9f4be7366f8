import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { CgroupsV1 } from '../../../src/platform/isolation/cgroups/cgroup-v1.js';
import { ownCgroups } from '../../../src/platform/isolation/cgroups/own-cgroups.js';
import { ReachableFiles } from '../../../src/platform/isolation/reachable-files.js';
import { soon } from '../../support/patience.js';

const asRoot = process.getuid?.() === 0 ? it : it.skip;
const ORDINARY_USER = { uid: 61_000, gid: 61_000 };

interface ServiceOptions {
  user?: { uid: number; gid: number };
  timeoutMs?: number;
  stdio?: StdioOptions;
}

function startService(
  code: string,
  { user, timeoutMs = 5_000, stdio = ['ignore', 'pipe', 'inherit'] }: ServiceOptions = {},
): ChildProcess {
  const program = join(__dirname, 'service-process.cjs');
  return spawn(process.execPath, [program, join(__dirname, 'service.ts'), 'python', code, String(timeoutMs)], {
    ...user,
    stdio,
  });
}

async function linesOf(service: ChildProcess): Promise<Record<string, unknown>[]> {
  return (await text(service.stdout!))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('the isolation in a service of its own', () => {
  it('works as an ordinary user without cgroups', async () => {
    const user = process.getuid?.() === 0 ? { user: ORDINARY_USER } : {};
    const service = startService("import os\nprint('hello', os.getuid())", user);
    expect(await linesOf(service)).toEqual([
      { available: true, mode: expect.any(String) as string },
      expect.objectContaining({ status: 'succeeded', stdout: 'hello 1000\n' }),
    ]);
  });

  it('ends with its service in every way', async () => {
    const mark = `mark-${process.pid}-${Math.trunc(performance.now())}`;
    const service = startService(
      `import ctypes\nctypes.CDLL(None).prctl(15, b'${mark.slice(-15)}')\nwhile True: pass`,
      { timeoutMs: 60_000 },
    );
    // The service is a program by itself, which has to load first.
    await soon(() => processesNamed(mark.slice(-15)).length === 1, 20_000);

    service.kill('SIGKILL');
    await once(service, 'exit');
    await soon(() => processesNamed(mark.slice(-15)).length === 0);
  });

  it('leaves nothing when its service is killed during a start', async () => {
    const user = process.getuid?.() === 0 ? { user: ORDINARY_USER } : {};
    // Each round a little later: somewhere in there bubblewrap has made its namespaces and not yet entered them.
    for (let round = 0; round < 12; round++) {
      const service = startService('print(1)', { ...user, stdio: ['ignore', 'ignore', 'inherit'] });
      await soon(() => childrenOf(service.pid!).length > 0);
      const untilMs = performance.now() + round;
      while (performance.now() < untilMs) {
        /* the moment is shorter than a timer */
      }
      const groups = childrenOf(service.pid!);
      service.kill('SIGKILL');
      await once(service, 'exit');
      await soon(() => groups.every((group) => !isAnyoneIn(group)));
    }
  }, 60_000);

  it('passes no descriptor of its service on', async () => {
    const secret = openSync(__filename, 'r');
    const list =
      "import os\nprint([os.readlink(f'/proc/self/fd/{f}') for f in os.listdir('/proc/self/fd') if " +
      "os.path.lexists(f'/proc/self/fd/{f}')])";
    const stdio: StdioOptions = ['ignore', 'pipe', 'inherit', ...Array<'ignore'>(37).fill('ignore'), secret];
    const [, outcome] = await linesOf(startService(list, { stdio }));
    closeSync(secret);
    expect(outcome).toMatchObject({ status: 'succeeded' });
    expect(outcome!.stdout).toContain('/tmp/stdin');
    expect(outcome!.stdout).not.toContain('isolation.test');
  });
});

describe('what a service that died has left', () => {
  const groups = CgroupsV1.find(ownCgroups());
  const withCgroups = groups === null ? it.skip : it;

  withCgroups('is swept, and what others use is not', async () => {
    const pids = ownCgroups().v1('pids')!;
    const dead = join(pids, 'isolated-4194303-1-1');
    mkdirSync(dead);
    const sleeper = spawn('/bin/sleep', ['60']);
    writeFileSync(join(dead, 'cgroup.procs'), String(sleeper.pid));
    const own = groups!.create({ memoryBytes: 1 << 26, tasks: 4, processes: 'threads' as const, cpu: { weight: 100 } });

    await Promise.all([once(sleeper, 'exit'), groups!.sweep()]);

    expect(existsSync(dead)).toBe(false);
    expect(readdirSync(pids).filter((name) => name.startsWith(`isolated-${process.pid}-`))).toHaveLength(1);
    await own.remove();
    await groups!.close();
    expect(readdirSync(pids).filter((name) => name.startsWith(`isolated-${process.pid}-`))).toHaveLength(0);
  });
});

describe('a cgroup whose sandbox is gone', () => {
  const groups = CgroupsV1.find(ownCgroups());
  const withCgroups = groups === null ? it.skip : it;
  const limits = { memoryBytes: 1 << 26, tasks: 4, processes: 'threads' as const, cpu: { weight: 100 } };
  const made = (): string[] =>
    readdirSync(ownCgroups().v1('pids')!).filter((name) => name.startsWith(`isolated-${process.pid}-`));

  withCgroups('is reused with the same limits, empty and with fresh counters, and removed at the end', async () => {
    const first = groups!.create(limits);
    // Far above the 256 KiB that a kernel charges to a group in advance, for each processor, and takes back when it
    // likes.
    const held = 16 << 20;
    const member = spawn(
      '/bin/sh',
      ['-c', `echo 0 >&3; echo 0 >&4; echo 0 >&5; exec dd if=/dev/zero of=/dev/null bs=${held}`],
      { stdio: ['ignore', 'ignore', 'ignore', ...first.entrances] },
    );
    await soon(() => first.usage().memoryPeakBytes > held);
    await Promise.all([once(member, 'exit'), first.remove()]);

    expect(made()).toHaveLength(1);
    const again = groups!.create(limits);
    expect(made()).toHaveLength(1);
    expect(again.usage().memoryPeakBytes).toBeLessThan(held);
    const other = groups!.create({ ...limits, tasks: 5 });
    expect(made()).toHaveLength(2);

    await Promise.all([again.remove(), other.remove()]);
    await groups!.close();
    expect(made()).toHaveLength(0);
  });
});

describe('files that the user of a sandbox could not reach', () => {
  let home: string;
  let copies: string;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'isolation-'));
    // Not below /tmp: everyone may write there.
    copies = `/var/lib/isolation-test-${randomUUID()}`;
  });

  afterEach(() => {
    rmSync(home, { recursive: true });
    rmSync(copies, { recursive: true, force: true });
  });

  asRoot('are copied once, read-only, to a directory of root', async () => {
    const file = join(home, 'program');
    writeFileSync(file, 'first');
    const files = new ReachableFiles({ directory: copies, otherUser: true });

    const copy = await files.reachable(file);
    expect(copy.startsWith(copies)).toBe(true);
    expect(readFileSync(copy, 'utf8')).toBe('first');
    expect(statSync(copy).mode & 0o777).toBe(0o555);
    expect(await files.reachable(file)).toBe(copy);

    writeFileSync(file, 'second');
    expect(readFileSync(await files.reachable(file), 'utf8')).toBe('second');
  });

  asRoot('are copied beside what a killed process with the same number has left', async () => {
    const file = join(home, 'program');
    writeFileSync(file, 'first');
    const files = new ReachableFiles({ directory: copies, otherUser: true });
    const copy = await files.reachable(file);
    rmSync(copy);
    for (let number = 1; number <= 500; number++) writeFileSync(`${copy}.${process.pid}-${number}`, 'half of');
    expect(readFileSync(await files.reachable(file), 'utf8')).toBe('first');
  });

  asRoot('are used where they are when everyone can read them', async () => {
    const files = new ReachableFiles({ directory: copies, otherUser: true });
    expect(await files.reachable('/etc/passwd')).toBe('/etc/passwd');
    expect(existsSync(copies)).toBe(false);
  });

  asRoot('are not copied to where others could plant one', async () => {
    const file = join(home, 'program');
    writeFileSync(file, 'x');
    const files = (directory: string): ReachableFiles => new ReachableFiles({ directory, otherUser: true });
    await expect(files(join(tmpdir(), 'planted', 'copies')).reachable(file)).rejects.toThrow(
      'must be a directory of root',
    );

    mkdirSync(copies);
    chmodSync(copies, 0o777);
    await expect(files(copies).reachable(file)).rejects.toThrow('must be a directory of root');
    rmSync(join(tmpdir(), 'planted'), { recursive: true });
  });
});

function processesNamed(name: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === name;
    } catch {
      return false;
    }
  });
}

/** A child leads a process group of its own. */
function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((child) => child !== '')
    .map(Number);
}

/** Zombies do not count: they run no more and wait for process 1. */
function isAnyoneIn(group: number): boolean {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => {
      try {
        const [state, , itsGroup] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
        return state !== 'Z' && Number(itsGroup) === group;
      } catch {
        return false;
      }
    });
}
