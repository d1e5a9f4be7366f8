import { availableParallelism } from 'node:os';
import { PooledRuntime } from '../../src/modules/sandbox/runtime/pooled-runtime.js';
import { type Language, type SandboxLimits } from '../../src/modules/sandbox/domain/sandbox-runtime.js';
import { Isolation } from '../../src/platform/isolation/isolation.js';

const LIMITS: SandboxLimits = { timeoutMs: 300, memoryBytes: 256 * 1024 * 1024, outputBytes: 1024 * 1024 };
const ROUNDS = 7;

/** The promise. Other work of the machine wants the same processors, so it is asked of the median. */
const WITHIN_MS = 50;
/** What no busy machine explains. */
const NEVER_BEYOND_MS = 5_000;

// A busy machine is late now and then; a limit that does not hold is late each time.
jest.retryTimes(3);

const RUNAWAYS: readonly (readonly [string, Language, string])[] = [
  ['an endless loop', 'javascript', 'for (;;) ;'],
  ['an endless loop', 'python', 'while True: pass'],
  ['sleep', 'javascript', 'setInterval(() => {}, 1e6)'],
  ['sleep', 'python', 'import time\ntime.sleep(1e6)'],
  ['a loop that keeps allocating', 'javascript', 'for (;;) Array.from({ length: 1e5 }, (_, i) => ({ i }))'],
];

describe.each([
  { cgroups: 'auto', forkServer: 'auto' },
  { cgroups: 'off', forkServer: 'auto' },
  { cgroups: 'auto', forkServer: 'off' },
] as const)(
  'the time limit, with cgroups $cgroups, the fork server $forkServer and as many runs as a worker takes',
  ({ cgroups, forkServer }) => {
    const concurrency = availableParallelism();
    const runtime = new PooledRuntime(
      new Isolation({ cgroups, cpuWeight: 1_000, copiesDirectory: '/var/lib/service-platform/runtime' }),
      { concurrency, limits: LIMITS, forkServer },
    );

    /** A container, such as that of deploy/compose.yml, has no cgroup to write to. */
    let mode: string | undefined;

    beforeAll(async () => {
      const readiness = await runtime.probe();
      expect(readiness).toMatchObject({ available: true });
      mode = readiness.available ? readiness.mode : undefined;
      if (cgroups === 'off') expect(mode).toBe('rlimits');
    });
    afterAll(() => runtime.close());

    it.each(RUNAWAYS)(
      'ends %s in %s',
      async (_what, language, code) => {
        const late: number[] = [];
        for (let round = 0; round < ROUNDS; round++) {
          const outcomes = await Promise.all(
            Array.from({ length: concurrency }, () =>
              runtime.run({ id: 'exe_late', language, code, stdin: '', limits: LIMITS }),
            ),
          );
          expect(outcomes.map(({ status, exitCode, signal }) => ({ status, exitCode, signal }))).toEqual(
            outcomes.map(() => ({ status: 'timed_out', exitCode: null, signal: 'SIGKILL' })),
          );
          late.push(...outcomes.map(({ durationMs }) => durationMs - LIMITS.timeoutMs));
        }
        late.sort((a, b) => a - b);
        expect(late[0]).toBeGreaterThanOrEqual(-2);
        expect(late[Math.floor(late.length / 2)]).toBeLessThan(WITHIN_MS);
        expect(late.at(-1)).toBeLessThan(NEVER_BEYOND_MS);
      },
      30_000,
    );

    it('counts processor time, which several threads spend faster', async () => {
      const threads =
        "const { Worker, isMainThread } = require('node:worker_threads');\n" +
        "for (let i = 0; i < 3; i++) new Worker('for (;;) ;', { eval: true }).on('error', () => {});\n" +
        'for (;;) ;';
      const outcome = await runtime.run({
        id: 'exe_threads',
        language: 'javascript',
        code: threads,
        stdin: '',
        limits: LIMITS,
      });
      // Without cgroups a program has one thread, and the error of its first worker ends it.
      expect(mode === 'rlimits' ? ['failed'] : ['timed_out', 'out_of_memory']).toContain(outcome.status);
      expect(outcome.cpuMs).toBeLessThan(LIMITS.timeoutMs + 4 * (WITHIN_MS + 20));
    });
  },
);
