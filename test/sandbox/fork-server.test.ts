import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import {
  PROCESSES,
  type SandboxLimits,
  type SandboxOutcome,
} from '../../src/modules/sandbox/domain/sandbox-runtime.js';
import { ForkServer, type ForkServerOptions } from '../../src/modules/sandbox/runtime/fork-server.js';
import { Interpreters, limitsOf } from '../../src/modules/sandbox/runtime/interpreters.js';
import { PooledRuntime } from '../../src/modules/sandbox/runtime/pooled-runtime.js';
import { startTemplate } from '../../src/modules/sandbox/runtime/probe.js';
import { type IsolatedProcess } from '../../src/platform/isolation/isolated-process.js';
import { type IsolatedTemplate } from '../../src/platform/isolation/isolated-template.js';
import { Isolation } from '../../src/platform/isolation/isolation.js';
import {
  IsolationDidNotStart,
  type ProcessesInside,
  type TemplateSpec,
} from '../../src/platform/isolation/isolation-spec.js';
import { onThisMachine, soon } from '../support/patience.js';

const LIMITS = { timeoutMs: 5_000, memoryBytes: 256 * 1024 * 1024, outputBytes: 1024 * 1024 };

const makeIsolation = (): Isolation =>
  new Isolation({ cgroups: 'auto', cpuWeight: 1_000, copiesDirectory: '/var/lib/service-platform/runtime' });

/** Ends and has forks when the test says so. */
class FakeTemplate {
  isAlive = true;
  active = 0;
  private readonly end = Promise.withResolvers<undefined>();
  readonly gone: Promise<void> = this.end.promise;

  destroy(): Promise<void> {
    this.isAlive = false;
    this.end.resolve(undefined);
    return this.gone;
  }
}

describe('ForkServer', () => {
  let templates: FakeTemplate[];
  let failures: string[];
  let server: ForkServer;

  const makeServer = (options: Partial<ForkServerOptions> = {}): ForkServer => {
    templates = [];
    failures = [];
    server = new ForkServer({
      maxForks: 10,
      maxAgeMs: 60_000,
      start: () => {
        templates.push(new FakeTemplate());
        return Promise.resolve(templates.at(-1) as unknown as IsolatedTemplate);
      },
      onFailed: (error) => {
        failures.push((error as Error).message);
      },
      ...options,
    });
    return server;
  };
  /** Returns which template has forked; -1 when none has. */
  const fork = async (): Promise<number> => {
    let used = -1;
    await server.fork((template) => {
      used = templates.indexOf(template as unknown as FakeTemplate);
      templates[used]!.active += 1;
      return Promise.resolve({} as IsolatedProcess);
    });
    return used;
  };

  const untilForkedBy = async (template: number): Promise<void> => {
    let used = await fork();
    const until = performance.now() + onThisMachine(5_000);
    while (used !== template && performance.now() < until) {
      await sleep(5);
      used = await fork();
    }
    expect(used).toBe(template);
  };

  afterEach(() => server.close());

  it('replaces a template before it has forked as often as it may, and ends it after its last fork', async () => {
    await makeServer({ maxAgeMs: 2_000 }).open();
    const used: number[] = [];
    for (let count = 0; count < 12; count++) {
      used.push(await fork());
      await sleep(1);
    }
    expect(used).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1]);
    expect(templates[0]!.isAlive).toBe(true);
    templates[0]!.active = 0;
    await soon(() => !templates[0]!.isAlive);
    expect(templates[1]!.isAlive).toBe(true);
  });

  it('never forks more often from one template, even if the next one takes long', async () => {
    const next = Promise.withResolvers<IsolatedTemplate>();
    const slow = makeServer({
      start: () => {
        templates.push(new FakeTemplate());
        const started = templates.at(-1) as unknown as IsolatedTemplate;
        return templates.length === 1 ? Promise.resolve(started) : next.promise;
      },
    });
    await slow.open();
    const used: number[] = [];
    for (let count = 0; count < 12; count++) used.push(await fork());
    expect(used).toEqual([...Array<number>(10).fill(0), -1, -1]);
    next.resolve(templates[1] as unknown as IsolatedTemplate);
    await soon(() => slow.isReady);
    expect(await fork()).toBe(1);
  });

  it('replaces a template that is old, without a fork', async () => {
    await makeServer({ maxAgeMs: 200 }).open();
    await soon(() => templates.length > 1 && !templates[0]!.isAlive && server.isReady);
  });

  it('says at once when a template forks no more, also when no other one starts', async () => {
    const retired: number[] = [];
    let starts = 0;
    await makeServer({
      maxAgeMs: 400,
      start: () => {
        starts += 1;
        if (starts > 2) return Promise.reject(new Error('broken machine'));
        templates.push(new FakeTemplate());
        return Promise.resolve(templates.at(-1) as unknown as IsolatedTemplate);
      },
      onRetired: () => retired.push(performance.now()),
    }).open();
    expect(await fork()).toBe(0);
    await soon(() => retired.length === 1);
    // The one that follows has begun to fork.
    expect(await fork()).toBe(1);
    const startedAt = performance.now();
    await soon(() => retired.length === 2);
    expect(performance.now() - startedAt).toBeLessThan(onThisMachine(600));
    expect(await fork()).toBe(-1);
  });

  it('forks nothing while no template starts, and tries again after a pause', async () => {
    let broken = true;
    makeServer({
      start: () => {
        if (broken) return Promise.reject(new Error('not safe'));
        templates.push(new FakeTemplate());
        return Promise.resolve(templates.at(-1) as unknown as IsolatedTemplate);
      },
    });
    await server.open();
    expect([await fork(), await fork(), failures]).toEqual([-1, -1, ['not safe']]);
    broken = false;
    await untilForkedBy(0);
  });

  /** What a fork of a template that lives answers when the machine has no process left. */
  const refuseFork = (): Promise<IsolatedProcess | null> =>
    server.fork(() => Promise.reject(new IsolationDidNotStart('refused')));
  const untilFailed = async (count: number): Promise<void> => {
    const until = performance.now() + onThisMachine(5_000);
    while (failures.length < count && performance.now() < until) {
      await refuseFork();
      await sleep(5);
    }
  };

  it('replaces a template that has ended, or that a fork has found to hang', async () => {
    await makeServer().open();
    await templates[0]!.destroy();
    await untilForkedBy(1);

    const hung = server.fork(async (template) => {
      // What hangs is killed.
      await template.destroy();
      throw new IsolationDidNotStart('it hangs');
    });
    expect(await hung).toBeNull();
    await untilForkedBy(2);
    expect(failures[0]).toBe('The template has ended.');
    expect(failures).toHaveLength(2);
  });

  it('keeps a template that lives when a fork of it fails, and the forks that wait', async () => {
    const onRetired = jest.fn();
    await makeServer({ onRetired }).open();
    const waiting = (await server.fork(() => Promise.resolve({} as IsolatedProcess)))!;
    expect(await Promise.all([refuseFork(), refuseFork(), refuseFork(), refuseFork()])).toEqual(Array(4).fill(null));
    // While it pauses, the caller starts its sandbox by itself.
    expect(await fork()).toBe(-1);
    await untilForkedBy(0);
    await sleep(300);
    expect([templates.length, failures.length, onRetired.mock.calls.length]).toEqual([1, 1, 0]);
    expect(server.isSpentFork(waiting)).toBe(false);
  });

  it('replaces a template that fails again and again, once another one has started', async () => {
    let broken = true;
    const onRetired = jest.fn();
    makeServer({
      maxForks: 10_000,
      onRetired,
      start: () => {
        if (templates.length > 0 && broken) return Promise.reject(new Error('broken machine'));
        templates.push(new FakeTemplate());
        return Promise.resolve(templates.at(-1) as unknown as IsolatedTemplate);
      },
    });
    await server.open();
    const waiting = (await server.fork(() => Promise.resolve({} as IsolatedProcess)))!;
    await untilFailed(3);
    await soon(() => failures.at(-1) === 'broken machine');
    expect([server.isSpentFork(waiting), onRetired.mock.calls.length]).toEqual([false, 0]);
    broken = false;
    await soon(() => templates.length === 2);
    expect([server.isSpentFork(waiting), onRetired.mock.calls.length]).toEqual([true, 1]);
    expect(await fork()).toBe(1);
  });
});

describe('forks of Python', () => {
  const runtimeWith = (forkServer: 'auto' | 'off'): PooledRuntime =>
    new PooledRuntime(makeIsolation(), { concurrency: 2, limits: LIMITS, forkServer });
  const forking = runtimeWith('auto');
  const starting = runtimeWith('off');
  const run = (runtime: PooledRuntime, code: string, limits: Partial<SandboxLimits> = {}): Promise<SandboxOutcome> =>
    runtime.run({
      id: 'exe_fork',
      language: 'python',
      code,
      stdin: 'in\n',
      limits: { ...LIMITS, ...limits },
      options: { args: ['one'], environment: { NAME: 'value' }, timeZone: 'Asia/Tokyo' },
    });
  const templateCount = (): number => forking.readings.filter(({ interpreter }) => interpreter === 'python').length;
  const isForking = (): boolean =>
    forking.readings.every(({ interpreter, forks }) => forks || interpreter !== 'python');

  beforeAll(async () => {
    for (const runtime of [forking, starting]) expect(await runtime.probe()).toMatchObject({ available: true });
    expect([isForking(), starting.readings.some(({ forks }) => forks)]).toEqual([true, false]);
  });
  afterAll(async () => {
    await Promise.all([forking.close(), starting.close()]);
  });

  it.each([
    ['ends', 'print(input(), __name__, __file__)\nimport sys\nprint(sys.argv, sys.flags)'],
    ['exits with a number', 'import sys\nsys.exit(300)'],
    ['exits with a message', 'import sys\nsys.exit("message")'],
    ['exits with a high number', 'import sys\nsys.exit(134)'],
    ['fails', 'def f():\n  raise ValueError("x")\nf()'],
    ['has a syntax error', 'print(1'],
    ['fails while it handles an error', 'try:\n  1 / 0\nexcept ZeroDivisionError:\n  [][1]'],
    ['is killed', 'import os\nos.kill(os.getpid(), 9)'],
    ['aborts', 'import os\nos.abort()'],
    [
      'has threads, functions for its exit and finalizers',
      `
import atexit, threading, time, weakref
class A:
    def __init__(self, name): self.name = name
    def __del__(self): print('deleted', self.name, time is not None)
one, _two, cycle = A('one'), A('two'), A('cycle')
cycle.itself = cycle
weakref.finalize(cycle, print, 'finalized')
def later():
    time.sleep(0.05)
    print('thread')
threading.Thread(target=later).start()
threading.Thread(target=time.sleep, args=(100,), daemon=True).start()
atexit.register(lambda: print('exit', one.name))
print('end', end='')`,
    ],
    ['closes its streams', 'import sys\nprint(1)\nsys.stdout.close()'],
    ['replaces its streams', 'import io, sys\nsys.stdout = io.StringIO()\nprint(1)\nsys.stdout = None'],
    ['raises an error at its exit', 'import atexit\natexit.register(lambda: 1 / 0)'],
    ['uses random numbers by a seed', 'import random\nrandom.seed(1)\nprint(random.random())'],
    [
      'sees its arguments, variables and time zone',
      'import os, sys, time\nprint(sys.argv, os.environ["NAME"], time.tzname)',
    ],
    ['sees its limits', 'import resource\nprint([resource.getrlimit(number) for number in range(16)])'],
    [
      'talks to itself at loopback',
      `
import socket
for family, address in (socket.AF_INET, '127.0.0.1'), (socket.AF_INET6, '::1'):
    try:
        server = socket.create_server((address, 0), family=family)
        client = socket.create_connection(server.getsockname()[:2])
        server.accept()[0].sendall(b'sent')
        print(client.recv(4), socket.if_nameindex())
    except OSError as error: print(error)`,
    ],
    [
      'sees the machine',
      "import os\nprint(os.cpu_count(), sorted(os.listdir('/')), os.listdir('/proc/1'), os.uname().nodename)",
    ],
    ['sees itself', 'import os\nprint(os.getuid(), os.getpid(), os.getppid(), os.getcwd(), dict(os.environ))'],
    [
      'is refused calls',
      'import os\nfor call in (os.fork, lambda: os.mkdir("/x")):\n  try: call()\n' +
        '  except OSError as error: print(error)',
    ],
  ])('behaves like Python that was started for the run when a program %s', async (_what, code) => {
    const [forked, started] = [await run(forking, code), await run(starting, code)];
    expect(comparable(forked)).toEqual(comparable(started));
  });

  const itWithProcesses = makeIsolation().countsProcesses ? it : it.skip;

  itWithProcesses.each([
    [
      'starts processes',
      `
import os, subprocess, sys
print(subprocess.run('echo $PATH; id -un; ls -d /usr/bin /bin', shell=True, capture_output=True).stdout, flush=True)
print(subprocess.run([sys.executable, '-c', 'print(input())'], input=b'given', capture_output=True).stdout, flush=True)
if os.fork() == 0: sys.exit(7)
print(os.waitstatus_to_exitcode(os.wait()[1]))`,
    ],
    [
      'shares memory',
      `
import multiprocessing, os, stat
from multiprocessing import shared_memory
memory = shared_memory.SharedMemory(create=True, size=1 << 20)
def work(number):
    memory.buf[number] = number
    return number * 2
with multiprocessing.Pool(2) as pool: print(pool.map(work, range(4)), bytes(memory.buf[:4]))
memory.close()
memory.unlink()
seen = os.statvfs('/dev/shm')
print(seen.f_blocks * seen.f_frsize, seen.f_flag, stat.filemode(os.stat('/dev/shm').st_mode), os.listdir('/dev'))`,
    ],
    [
      'leaves daemons that hold its streams',
      `
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: time.sleep(60)
    os._exit(0)
os.wait()
print('end')`,
    ],
    [
      // Up to four places are taken by ended processes of an earlier run, until process 1 of the machine collects them.
      'starts as many processes as it may',
      `
import os, time
made = 0
try:
    while True:
        if os.fork() == 0: time.sleep(60)
        made += 1
except OSError as error: print(made > 120, error)`,
    ],
  ])('behaves like Python that was started for the run when a program %s', async (_what, code) => {
    const limits = { processes: PROCESSES };
    const [forked, started] = [await run(forking, code, limits), await run(starting, code, limits)];
    expect(started.stderr).toBe('');
    expect(comparable(forked)).toEqual(comparable(started));
  });

  it('keeps no fork of a template that was replaced', async () => {
    const seedOf = async (): Promise<string> => {
      await soon(() => forking.readings.every(({ ready, size }) => ready === size));
      return (await run(forking, 'print(hash("what forks of one template have in common"))')).stdout;
    };
    const before = await seedOf();
    expect(await seedOf()).toBe(before);
    const replaced = jest.fn();
    forking.listen(({ kind }) => {
      if (kind === 'template_started') replaced();
    });
    const now = performance.now.bind(performance);
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + 9.5 * 60_000);
    await soon(() => replaced.mock.calls.length >= templateCount(), onThisMachine(15_000));
    clock.mockRestore();
    const after = await seedOf();
    expect(after).not.toBe(before);
    for (let turn = 0; turn < forking.readings[0]!.size; turn++) expect(await seedOf()).toBe(after);
    await soon(() => templateProcesses().length === templateCount(), onThisMachine(15_000));
  });

  it('keeps the forks that wait when the machine refuses one', async () => {
    await soon(() => forking.readings.every(({ ready, size }) => ready === size));
    const seed = 'print(hash("what forks of one template have in common"))';
    const before = (await run(forking, seed)).stdout;
    const started = jest.fn();
    const failed = jest.fn();
    forking.listen(({ kind }) => {
      if (kind === 'template_started') started();
      if (kind === 'template_failed') failed();
    });
    const refusing = jest.spyOn(Isolation.prototype, 'fork').mockRejectedValueOnce(new IsolationDidNotStart('refused'));
    const ready = forking.readings.find(({ interpreter }) => interpreter === 'python')!;
    await run(forking, 'pass');
    await soon(() => failed.mock.calls.length === 1);
    refusing.mockRestore();
    for (let turn = 1; turn < ready.size - 1; turn++) expect((await run(forking, seed)).stdout).toBe(before);
    await sleep(500);
    expect(started).not.toHaveBeenCalled();
    expect(isForking()).toBe(true);
  });

  it('does not wait for a template that hangs, and starts another one', async () => {
    const templates = templateProcesses();
    const stopped = run(forking, 'while True: pass', { timeoutMs: 500 });
    await sleep(100);
    for (const template of templates) process.kill(template, 'SIGSTOP');
    expect(await stopped).toMatchObject({ status: 'timed_out' });
    expect(await run(forking, 'print(1)')).toMatchObject({ stdout: '1\n' });
    const left = (): number[] => templateProcesses().filter((pid) => templates.includes(pid));
    // The other one has not been asked for a fork.
    await soon(() => left().length === templates.length - 1, onThisMachine(30_000));
    await soon(isForking, onThisMachine(15_000));
    for (const template of left()) process.kill(template, 'SIGCONT');
  });

  it('runs on when its template is killed', async () => {
    const running = run(forking, 'print(1)');
    for (const pid of templateProcesses()) process.kill(pid, 'SIGKILL');
    expect(await running).toMatchObject({ stdout: '1\n' });
    await soon(isForking);
  });
});

describe('the check of a template', () => {
  const isolation = makeIsolation();
  const interpreters = new Interpreters(isolation);
  const python = interpreters.get('python');
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'template-'));
  });
  afterAll(async () => {
    await isolation.close();
    await rm(directory, { recursive: true });
  });

  /** Starts a template whose program differs in one place. */
  const startWith = async (
    from: string,
    to: string,
    processes: ProcessesInside = 'threads',
  ): Promise<IsolatedTemplate> => {
    const spec = (await interpreters.templateOf(python, processes))!;
    const mounts = spec.mounts.map((mount) => {
      if (!mount.to.endsWith('python-template.py')) return mount;
      const program = readFileSync(mount.from, 'utf8');
      expect(program.split(from)).toHaveLength(2);
      const path = join(directory, 'template.py');
      writeFileSync(path, program.replace(from, to));
      return { ...mount, from: path };
    });
    const readable = await Promise.all(
      mounts.map(async (mount) =>
        mount.from.startsWith(directory) ? { ...mount, from: await isolation.reachable(mount.from) } : mount,
      ),
    );
    const templateOf = (): Promise<TemplateSpec> => Promise.resolve({ ...spec, mounts: readable });
    return startTemplate(isolation, { templateOf }, { interpreter: python, processes });
  };

  it('accepts the one that is as it should be', async () => {
    await (await startWith('PAGE = 4096', 'PAGE = 4096')).destroy();
  });

  it('goes on when the machine refuses a fork', async () => {
    // The check has forked three times.
    const refused = 'if request["run"] == 4: raise OSError("refused")';
    const template = await startWith(
      '            first = clone()\n',
      `            ${refused}\n            first = clone()\n`,
    );
    const limits = limitsOf(python, { memoryBytes: LIMITS.memoryBytes, cpuMs: LIMITS.timeoutMs });
    await expect(isolation.fork(template, limits)).rejects.toThrow('refused');
    const forked = await isolation.fork(template, limits);
    expect(template.active).toBe(1);
    await forked.destroy();
    await template.destroy();
  });

  const itWithProcesses = isolation.countsProcesses ? it : it.skip;

  itWithProcesses('holds for forks that may start processes too', async () => {
    await (await startWith('PAGE = 4096', 'PAGE = 4096', 'any')).destroy();
    await expect(startWith('refuse_calls(template.filter)\n', 'pass\n', 'any')).rejects.toThrow(
      'a filter of its own for each fork',
    );
  });

  it.each([
    ['holds the state of OpenSSL', 'import string', 'import string, ssl', '_ssl'],
    ['installs no filter', 'refuse_calls(template.filter)\n', 'pass\n', 'a filter of its own for each fork'],
    ['keeps capabilities', '        drop_capabilities()\n', '', 'no capabilities'],
    ['leaves descriptors open', '    os.closerange(REPORT + 1, 1 << 20)\n', '', 'no descriptors of the template'],
    ['shares its network', ' | 0x40000000\n', '\n', 'Operation not permitted'],
    ['shares its IPC', ' | 0x08000000', '', 'namespaces of its own for each fork'],
    ['shares its mounts', '0x00020000 | ', '', 'Operation not permitted'],
    [
      'shares its random numbers',
      'import random  # noqa: F401',
      'import random\nrandom.random = random.Random(7).random',
      'randomness',
    ],
  ])('refuses one that %s', async (_what, from, to, breach) => {
    await expect(startWith(from, to)).rejects.toThrow(breach);
  });
});

/** Leaves out what differs between any two runs: figures and addresses. */
function comparable({ stderr, ...outcome }: SandboxOutcome): object {
  return { ...outcome, stderr: stderr.replace(/0x[0-9a-f]+/g, '0x'), durationMs: 0, cpuMs: 0, memoryPeakBytes: 0 };
}

/** Only those of this process, because other test files run at the same time. */
function templateProcesses(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      // Its forks have namespaces of their own, below that of the template.
      const inside = fact(pid, 'NSpid').split(/\s+/);
      return inside.length === 2 && inside[1] === '2' && commandOf(pid).includes('python-template.py') && isOurs(pid);
    });
}

function isOurs(pid: number): boolean {
  const parent = Number(fact(pid, 'PPid'));
  return parent === process.pid || (parent > 1 && isOurs(parent));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

function fact(pid: number, name: string): string {
  try {
    return new RegExp(`^${name}:(.*)$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]?.trim() ?? '';
  } catch {
    return '';
  }
}
