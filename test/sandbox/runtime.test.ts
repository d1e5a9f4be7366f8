import { readdirSync, readFileSync } from 'node:fs';

import { PooledRuntime } from '../../src/modules/sandbox/runtime/pooled-runtime.js';
import {
  type OutputPiece,
  type Language,
  type SandboxLimits,
  type SandboxOutcome,
} from '../../src/modules/sandbox/domain/sandbox-runtime.js';
import { Isolation } from '../../src/platform/isolation/isolation.js';
import { onThisMachine, soon } from '../support/patience.js';

/** Root's own, unlike anything below /tmp. */
const COPIES = '/var/lib/service-platform/runtime';

const MEBIBYTE = 1024 * 1024;
const LIMITS: SandboxLimits = { timeoutMs: 3_000, memoryBytes: 256 * MEBIBYTE, outputBytes: MEBIBYTE };
const SHORT: SandboxLimits = { ...LIMITS, timeoutMs: 250 };
const CANARY = 'CANARY_IN_THE_ENVIRONMENT_OF_THE_SERVICE';

/**
 * What hostile code tries is in `test/abuse`; that languages are what they should be, in `runtime-languages.test.ts`.
 */
describe.each([
  { cgroups: 'auto', forkServer: 'auto' },
  { cgroups: 'auto', forkServer: 'off' },
  { cgroups: 'off', forkServer: 'auto' },
] as const)('the sandbox runtime with cgroups $cgroups and the fork server $forkServer', ({ cgroups, forkServer }) => {
  const makeRuntime = (poolSize?: number): PooledRuntime =>
    new PooledRuntime(new Isolation({ cgroups, cpuWeight: 1_000, copiesDirectory: COPIES }), {
      concurrency: 2,
      limits: LIMITS,
      forkServer,
      ...(poolSize === undefined ? {} : { poolSize }),
    });
  const runtime = makeRuntime();

  const run = (language: Language, code: string, limits = LIMITS): Promise<SandboxOutcome> =>
    runtime.run({ id: 'exe_test', language, code, stdin: '', limits });
  const js = (code: string, limits = LIMITS): Promise<SandboxOutcome> => run('javascript', code, limits);
  const py = (code: string, limits = LIMITS): Promise<SandboxOutcome> => run('python', code, limits);

  beforeAll(async () => {
    process.env[CANARY] = 'secret';
    expect(await runtime.probe()).toMatchObject({ available: true });
  });

  afterAll(async () => {
    Reflect.deleteProperty(process.env, CANARY);
    await runtime.close();
  });

  it('reports times, memory and the interpreter', async () => {
    // Without cgroups the memory is sampled, so that the program keeps it for a while.
    const outcome = await py('import time\nx = bytearray(50_000_000)\nsum(range(3_000_000))\ntime.sleep(0.5)');
    expect(outcome.durationMs).toBeGreaterThan(10);
    expect(outcome.cpuMs).toBeGreaterThan(5);
    expect(outcome.memoryPeakBytes).toBeGreaterThan(50_000_000);
    expect(outcome.runtime).toEqual({ name: 'python', version: expect.stringMatching(/^3\.\d+\.\d+$/) as string });
  });

  it('keeps its pools full and reports their state', async () => {
    await soon(() => runtime.readings.every(({ ready, size }) => ready === size && size === 3));
    const events: unknown[] = [];
    runtime.listen((event) => {
      events.push(event);
    });
    await py('print(1)');
    expect(events).toContainEqual({ kind: 'acquired', language: 'python', seconds: expect.any(Number), warm: true });
    await soon(() => runtime.readings.every(({ ready, size }) => ready === size));
  });

  it('starts a cold sandbox for a run with larger limits', async () => {
    const more = { ...LIMITS, memoryBytes: 512 * MEBIBYTE };
    expect(await py('x = bytearray(350 * 1024 * 1024)\nprint(len(x))', more)).toMatchObject({ status: 'succeeded' });
    expect(await py('x = bytearray(350 * 1024 * 1024)')).toMatchObject({ status: 'out_of_memory' });
    expect(await js('console.log(1)', { ...LIMITS, timeoutMs: 10_000 })).toMatchObject({ status: 'succeeded' });
  });

  it('runs the code even if its warm sandbox was killed', async () => {
    for (let attempt = 0; attempt < 5; attempt++) {
      await soon(() => runtime.readings.every(({ ready, size }) => ready === size));
      for (const pid of sandboxProcesses()) process.kill(pid, 'SIGKILL');
      // In the same turn of the event loop: nobody can have noticed yet.
      expect(await py('print(1)')).toMatchObject({ status: 'succeeded', stdout: '1\n' });
    }
  });

  it('does not run code again whose output got out', async () => {
    const pieces: OutputPiece[] = [];
    const running = runtime.run(
      { id: 'exe_test', language: 'python', code: 'print(1)\nwhile True: pass', stdin: '', limits: LIMITS },
      undefined,
      (more) => pieces.push(...more),
    );
    await soon(() => pieces.length > 0);
    for (const pid of sandboxProcesses()) process.kill(pid, 'SIGKILL');
    await expect(running).rejects.toThrow('ended from outside');
    expect(pieces).toEqual([{ stream: 'stdout', text: '1\n' }]);
  });

  it('runs workers of JavaScript, or says why there are none, in every kind of module', async () => {
    const start = 'new Worker(`require("worker_threads").parentPort.postMessage(6 * 7)`, { eval: true })';
    const sentence = 'Worker threads are not available here, because this machine limits memory without cgroups';
    const hasWorkers = runtime.readiness.available && runtime.readiness.mode !== 'rlimits';
    if (cgroups === 'off') expect(hasWorkers).toBe(false);
    for (const [language, named] of [
      ['javascript', "const { Worker } = require('node:worker_threads')"],
      ['javascript', "import { Worker } from 'node:worker_threads'"],
      ['typescript', "import { Worker } from 'node:worker_threads'"],
    ] as const) {
      const outcome = await run(language, `${named};\n${start}.on('message', console.log)`);
      if (hasWorkers) {
        expect(outcome).toMatchObject({ status: 'succeeded', stdout: '42\n' });
        continue;
      }
      expect(outcome).toMatchObject({ status: 'failed', stdout: '', error: { name: 'Error', message: sentence } });
      expect(outcome.stderr).toContain(`Error: ${sentence}`);
      // A program that can do without them goes on.
      const caught = `${named};\ntry { ${start} } catch (error) { console.log(String(error)) }`;
      expect(await run(language, caught)).toMatchObject({ status: 'succeeded', stdout: `Error: ${sentence}\n` });
    }
  });

  describe('the outcome of a run', () => {
    it.each([
      ['javascript', "process.stdout.write('x'.repeat(300_000)); process.exit(3)", { exitCode: 3, signal: null }],
      ['python', "import os, sys; sys.stdout.write('x' * 300_000 + '\\n'); os._exit(3)", { exitCode: 3, signal: null }],
      ['javascript', 'process.exit(200)', { exitCode: 200, signal: null }],
      ['javascript', 'process.exit(137)', { exitCode: 137, signal: null }],
      ['python', 'import sys; sys.exit(134)', { exitCode: 134, signal: null }],
      ['javascript', 'process.kill(process.pid, "SIGKILL")', { exitCode: null, signal: 'SIGKILL' }],
      ['javascript', 'process.abort()', { exitCode: null, signal: 'SIGABRT' }],
      ['python', 'import os; os.abort()', { exitCode: null, signal: 'SIGABRT' }],
      ['python', 'import ctypes; ctypes.string_at(0)', { exitCode: null, signal: 'SIGSEGV' }],
    ] as const)('%s: %s', async (language, code, end) => {
      const outcome = await run(language, code);
      expect(outcome).toMatchObject({ status: 'failed', ...end });
      if (outcome.exitCode === 3) expect(outcome.stdout.trim()).toHaveLength(300_000);
    });

    it.each([
      ['a heap', 'const a = []; for (;;) a.push(new Array(1e5).fill({}))'],
      ['buffers', 'const a = []; for (;;) a.push(Buffer.alloc(1e7, 1))'],
    ])('%s without end is out_of_memory, not a crash', async (_what, code) => {
      expect(await js(code, { ...LIMITS, timeoutMs: 20_000 })).toMatchObject({ status: 'out_of_memory' });
    });

    it('ignores a forged error of a run that succeeded', async () => {
      const outcome = await js(`require('fs').writeSync(4, '{"error":{"name":"A","message":"b"}}\\n')`);
      expect(outcome.status).toBe('succeeded');
      expect(outcome.error).toBeUndefined();
    });

    it('cuts output at the limit and marks it as truncated', async () => {
      const outcome = await py("print('ü' * 600_000)\nimport sys\nprint('short', file=sys.stderr)");
      expect(outcome).toMatchObject({ status: 'output_limit', truncated: { stdout: true, stderr: false } });
      expect(outcome.stdout).toBe('ü'.repeat(MEBIBYTE / 2));
    });
  });

  it.each([
    [
      'javascript',
      "const fs = require('fs'); const e = ['/proc/1/environ', " +
        "'/proc/self/environ'].map((p) => { try { return fs.readFileSync(p, 'utf8') } catch { return '' } }); " +
        'console.log(JSON.stringify([e, process.env]))',
    ],
    [
      'python',
      "import os\nfor p in ('/proc/1/environ', '/proc/self/environ'):\n  try: print(open(p).read())\n" +
        '  except OSError: pass\nprint(dict(os.environ))',
    ],
  ] as const)('passes no environment variables on, in %s', async (language, code) => {
    const outcome = await run(language, code);
    expect(outcome.status).toBe('succeeded');
    expect(outcome.stdout).not.toContain(CANARY);
  });

  it('passes no descriptors or privileges on', async () => {
    const descriptors = await py(
      "import os\nprint(sorted({os.readlink(f'/proc/self/fd/{f}').split(':')[0] for f in " +
        "os.listdir('/proc/self/fd') if os.path.lexists(f'/proc/self/fd/{f}')}))",
    );
    expect(["['/tmp/stdin (deleted)', 'socket']\n", "['/dev/null', '/tmp/stdin (deleted)', 'socket']\n"]).toContain(
      descriptors.stdout,
    );
    const rights = await py(
      "print([line for line in open('/proc/self/status').read().split('\\n') if line.split(':')[0] in " +
        "('Seccomp', 'NoNewPrivs', 'CapEff', 'CapBnd')])",
    );
    expect(rights.stdout).toBe(
      "['CapEff:\\t0000000000000000', 'CapBnd:\\t0000000000000000', 'NoNewPrivs:\\t1', 'Seccomp:\\t2']\n",
    );
  });

  it('ends a run when its signal is aborted', async () => {
    const stop = new AbortController();
    const startedAt = performance.now();
    const running = runtime.run(
      { id: 'exe_a', language: 'python', code: 'while True: pass', stdin: '', limits: LIMITS },
      stop.signal,
    );
    setTimeout(() => {
      stop.abort();
    }, 200);
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
    expect(performance.now() - startedAt).toBeLessThan(onThisMachine(1_000));
  });

  it('leaves no process, cgroup or descriptor behind', async () => {
    await runtime.close();
    const descriptors = (): number => readdirSync('/proc/self/fd').length;
    const before = descriptors();
    const another = makeRuntime();
    await another.probe();
    const codes = [
      'for (;;) ;',
      'console.log(1)',
      'process.exit(1)',
      "for (;;) process.stdout.write('x'.repeat(65536))",
      'throw 1',
    ];
    await Promise.all(
      codes.map((code) => another.run({ id: 'exe_x', language: 'javascript', code, stdin: '', limits: SHORT })),
    );
    await another.close();
    await soon(() => descriptors() <= before && cgroupsLeft().length === 0 && sandboxProcesses().length === 0);
  });
});

it('reports missing isolation and refuses to run', async () => {
  const isolation = new Isolation({
    cgroups: 'off',
    copiesDirectory: '/nowhere',
    bubblewrapPlaces: ['/nowhere/bwrap'],
  });
  const runtime = new PooledRuntime(isolation, { concurrency: 1, limits: LIMITS, forkServer: 'auto' });
  expect(await runtime.probe()).toEqual({
    available: false,
    missing: ['the package bubblewrap (bwrap was not found)'],
  });
  const run = { id: 'exe_x', language: 'python', code: 'print(1)', stdin: '', limits: LIMITS } as const;
  await expect(runtime.run(run)).rejects.toThrow('not available');
  await runtime.close();
});

/** Only those of this process, because other test files run at the same time. */
function cgroupsLeft(): string[] {
  const own = readFileSync('/proc/self/cgroup', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  return own.flatMap(([, controller = '', path = '']) => {
    try {
      return readdirSync(`/sys/fs/cgroup/${controller}${path}`).filter((name) =>
        name.startsWith(`isolated-${process.pid}-`),
      );
    } catch {
      return [];
    }
  });
}

/** Children of this process that are still there. */
function sandboxProcesses(): number[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
        return stat.slice(stat.lastIndexOf(')')).split(' ')[2] === String(process.pid) && stat.includes('(bwrap)')
          ? [Number(pid)]
          : [];
      } catch {
        return [];
      }
    });
}
