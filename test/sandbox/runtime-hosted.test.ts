import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { HostedRuntime } from '../../src/modules/sandbox/runtime/host/hosted-runtime.js';
import { type PoolEvent } from '../../src/modules/sandbox/runtime/pool-events.js';
import {
  type OutputPiece,
  type SandboxOutcome,
  type SandboxRun,
} from '../../src/modules/sandbox/domain/sandbox-runtime.js';
import { onThisMachine, soon } from '../support/patience.js';

const LIMITS = { timeoutMs: 3_000, memoryBytes: 256 * 1024 * 1024, outputBytes: 1024 * 1024 };

describe('the sandbox runtime in its own process', () => {
  let runtime: HostedRuntime;

  const makeRuntime = (): HostedRuntime =>
    new HostedRuntime({
      isolation: { cgroups: 'auto', cpuWeight: 1_000, copiesDirectory: '/var/lib/service-platform/runtime' },
      runtime: { concurrency: 2, limits: LIMITS, forkServer: 'auto' },
      start: {
        program: join(__dirname, '../../src/modules/sandbox/runtime/host/sandbox-host.process.ts'),
        execArguments: ['--require', join(__dirname, '../support/typescript-hook.cjs')],
      },
    });
  const run = (code: string, change: Partial<SandboxRun> = {}, signal?: AbortSignal): Promise<SandboxOutcome> =>
    runtime.run({ id: 'exe_test', language: 'python', code, stdin: '', limits: LIMITS, ...change }, signal);

  beforeEach(async () => {
    runtime = makeRuntime();
    process.env.CANARY_OF_THE_SERVICE = 'secret';
    expect(await runtime.probe()).toMatchObject({ available: true });
  });

  afterEach(async () => {
    Reflect.deleteProperty(process.env, 'CANARY_OF_THE_SERVICE');
    await runtime.close();
    expect(hosts()).toEqual([]);
  });

  it('runs code and returns the full outcome', async () => {
    const text = 'ü'.repeat(300_000);
    expect(await run('import sys; print(sys.stdin.read())', { stdin: text })).toMatchObject({
      status: 'succeeded',
      stdout: `${text}\n`,
      exitCode: 0,
    });
    const failed = await run('1/0');
    expect(failed).toMatchObject({ status: 'failed', signal: null, error: { name: 'ZeroDivisionError', line: 1 } });
    expect(failed.error).not.toHaveProperty('column');
  });

  it('passes all output on while the code runs', async () => {
    const pieces: OutputPiece[] = [];
    const code = 'import sys, time\nprint("ü" * 99_999)\ntime.sleep(0.3)\nprint("aside", file=sys.stderr)';
    const running = runtime.run(
      { id: 'exe_test', language: 'python', code, stdin: '', limits: LIMITS },
      undefined,
      (more) => pieces.push(...more),
    );
    const early = await Promise.race([soon(() => pieces.length > 0).then(() => 'output'), running.then(() => 'end')]);
    expect(early).toBe('output');
    const { stdout, stderr } = await running;
    const textOf = (wanted: string): string =>
      pieces.map(({ stream, text }) => (stream === wanted ? text : '')).join('');
    expect([textOf('stdout'), textOf('stderr')]).toEqual([stdout, stderr]);
  });

  it('has no environment variables of the service', () => {
    const [host] = hosts();
    const names = readFileSync(`/proc/${host!}/environ`, 'utf8')
      .split('\0')
      .map((entry) => entry.split('=')[0]);
    expect(names.filter((name) => name !== '' && !name!.startsWith('NODE_CHANNEL'))).toEqual([]);
  });

  it('runs at a lower CPU priority than the service', () => {
    const [host] = hosts();
    expect(getPriority(Number(host))).toBeGreaterThan(getPriority());
  });

  it('reports the state and events of its pools', async () => {
    const events: PoolEvent[] = [];
    runtime.listen((event) => {
      events.push(event);
    });
    await soon(() => runtime.readings.length > 0 && runtime.readings.every(({ ready, size }) => ready === size));
    await run('print(1)');
    expect(events).toContainEqual({ kind: 'acquired', language: 'python', seconds: expect.any(Number), warm: true });
    await soon(() => events.some(({ kind }) => kind === 'started'));
    const languagesWhere = (wanted: boolean): unknown =>
      runtime.readings.filter(({ startsProcesses }) => startsProcesses === wanted).map(({ languages }) => languages);
    const all = [['javascript', 'typescript'], ['python']];
    const { readiness } = runtime;
    expect(languagesWhere(false)).toEqual(all);
    // Without cgroups, no program may start processes.
    expect(languagesWhere(true)).toEqual(readiness.available && readiness.mode !== 'rlimits' ? all : []);
  });

  it('ends a run when its signal is aborted', async () => {
    const stop = new AbortController();
    const startedAt = performance.now();
    const running = run('while True: pass', {}, stop.signal);
    setTimeout(() => {
      stop.abort();
    }, 100);
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
    expect(performance.now() - startedAt).toBeLessThan(onThisMachine(1_500));
  });

  it('fails the run that ends the host process, reports unavailable, and recovers', async () => {
    const running = run('while True: pass');
    await sleep(100);
    process.kill(hosts()[0]!, 'SIGKILL');
    await expect(running).rejects.toThrow('host ended');
    expect(runtime.readiness).toMatchObject({ available: false });
    await expect(run('print(1)')).rejects.toThrow('not available');

    await soon(() => runtime.readiness.available);
    expect(await run('print(1)')).toMatchObject({ status: 'succeeded' });
  });

  it('ignores terminal signals', async () => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(hosts()[0]!, signal);
    expect(await run('print(1)')).toMatchObject({ status: 'succeeded' });
  });
});

/** Sandboxes that this process has started. */
function hosts(): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
        const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return (
          parent === String(process.pid) &&
          state !== 'Z' &&
          readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('sandbox-host')
        );
      } catch {
        return false;
      }
    });
}
