import { setTimeout as sleep } from 'node:timers/promises';

import { type ExecutionStatus, type Language } from '../../src/modules/sandbox/domain/sandbox-runtime.js';
import { Canaries } from './canaries.js';
import { AS_ROOT, LIMITS, MODES, openMode } from './modes.js';
import { cgroupsOf, hostPid, residentBytes, traces, untilNoMoreThan } from './traces.js';

/** In all modes that can be had here together. */
const RUNS = Number(process.env.SOAK_RUNS ?? 5_000);
const AT_A_TIME = 4;
const HOSTILE_MS = 150;
/**
 * A heap grows and shrinks by some, and output of a mebibyte at a time by more; a leak of 24 KiB per run would pass
 * this.
 */
const FLAT_WITHIN_BYTES = 24 * 1024 * 1024;

type Kind = readonly [language: Language, code: string, statuses: readonly ExecutionStatus[], timeoutMs?: number];

const HONEST: readonly Kind[] = [
  ['javascript', 'console.log([1, 2, 3].map((n) => n * n).join())', ['succeeded']],
  ['typescript', "enum E { A = 'a' }\nconsole.log(await Promise.resolve(E.A))", ['succeeded']],
  ['python', 'import json\nprint(json.dumps({"a": [1, 2]}))', ['succeeded']],
  ['python', 'print(sum(range(100_000)))', ['succeeded']],
  ['javascript', 'throw new TypeError("honest mistake")', ['failed']],
  ['python', 'print(1', ['failed']],
];

const HOSTILE: readonly Kind[] = [
  ['python', 'import os\nwhile True:\n  try: os.fork()\n  except OSError: pass', ['timed_out'], HOSTILE_MS],
  [
    'python',
    'import signal\nfor s in range(1, 65):\n  try: signal.signal(s, signal.SIG_IGN)\n' +
      '  except (OSError, ValueError): pass\nwhile True: pass',
    ['timed_out'],
    HOSTILE_MS,
  ],
  ['python', "while True: print('x' * 65536)", ['output_limit']],
  ['python', 'i = 0\nwhile True:\n  i += 1\n  open(f"/tmp/{i}", "w").close()', ['failed', 'out_of_memory']],
  ['python', 'import os\nos.kill(-1, 9)\nos.kill(os.getpid(), 9)', ['failed']],
  ['python', 'a = []\nwhile True: a.append(bytearray(10 ** 7))', ['out_of_memory']],
  ['python', 'import os\nos.write(4, b"{" * 100_000)\nos._exit(0)', ['succeeded', 'failed']],
  ['javascript', 'for (;;) ;', ['timed_out'], HOSTILE_MS],
  ['javascript', "for (;;) process.stderr.write('x'.repeat(65536))", ['output_limit']],
  [
    'javascript',
    "const fs = require('fs'); for (const fd of [0, 1, 2, 3, 4, 5, 6]) try { fs.closeSync(fd) } catch {}\n" +
      "process.kill(process.pid, 'SIGKILL')",
    ['failed'],
  ],
  ['javascript', 'process.abort()', ['failed']],
];

/** Most callers are honest; hostile runs come in between, often several at a time. */
const kindOf = (index: number): Kind =>
  index % 4 === 3 ? HOSTILE[Math.floor(index / 4) % HOSTILE.length]! : HONEST[index % HONEST.length]!;

const modes = MODES.filter(({ user }) => AS_ROOT || user === 'ordinary');

it.each(modes)(
  'runs for a long time, $name, and leaves nothing behind',
  async (mode) => {
    const canaries = await Canaries.release();
    const open = openMode(mode, 3);
    expect(await open.runtime.probe()).toMatchObject({ available: true });

    const wrong: unknown[] = [];
    const runAll = async (from: number, to: number): Promise<void> => {
      let next = from;
      await Promise.all(
        Array.from({ length: AT_A_TIME }, async () => {
          while (next < to) {
            const [language, code, statuses, timeoutMs = 5_000] = kindOf(next++);
            const outcome = await open.runtime.run({
              id: 'exe_soak',
              language,
              code,
              stdin: '',
              limits: { ...LIMITS, timeoutMs },
            });
            if (!statuses.includes(outcome.status))
              wrong.push({ language, code, ...outcome, stdout: outcome.stdout.slice(0, 200) });
          }
        }),
      );
    };
    const settle = async (): Promise<void> => {
      for (let attempt = 0; attempt < 300 && open.runtime.readings.some(({ ready, size }) => ready < size); attempt++)
        await sleep(10);
      await sleep(300);
    };

    const runs = Math.ceil(RUNS / modes.length);
    const warmUp = Math.ceil(runs / 5);
    await runAll(0, warmUp);
    await settle();
    const before = traces();
    const host = hostPid();
    const residentBefore = residentBytes(host);
    const startedAt = performance.now();
    await runAll(warmUp, runs);
    const seconds = (performance.now() - startedAt) / 1000;
    await settle();

    const mebibytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1);
    process.stdout.write(
      `${mode.name}: ${runs} runs, ${((runs - warmUp) / seconds).toFixed(0)} a second; ` +
        `the host's memory went from ${mebibytes(residentBefore)} to ${mebibytes(residentBytes(host))} MiB.\n`,
    );
    expect(wrong.slice(0, 3)).toEqual([]);
    expect(residentBytes(host) - residentBefore).toBeLessThan(FLAT_WITHIN_BYTES);
    await untilNoMoreThan(before);
    canaries.check();
    await open.close();
    expect(cgroupsOf(host)).toEqual([]);
    canaries.removeAll();
  },
  600_000 + RUNS * 100,
);
