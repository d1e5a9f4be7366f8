import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';

import { PROCESSES, type SandboxLimits } from '../../src/modules/sandbox/domain/sandbox-runtime.js';
import { PooledRuntime } from '../../src/modules/sandbox/runtime/pooled-runtime.js';
import { Isolation } from '../../src/platform/isolation/isolation.js';
import { systemPython } from '../../src/platform/python/system-python.js';
import { corpus, type CorpusProgram } from './corpus/corpus.js';

const LIMITS: SandboxLimits = { timeoutMs: 30_000, memoryBytes: 256 * 1024 * 1024, outputBytes: 1024 * 1024 };
const AT_ONCE = 3;
const NODE = join(dirname(createRequire(__filename).resolve(`node-linux-${process.arch}/package.json`)), 'bin/node');
const EXTENSION = { python: 'py', javascript: 'js', typescript: 'ts' } as const;

interface Ran {
  readonly stdout: string;
  readonly exitCode: number | null;
}

describe('programs that others wrote', () => {
  const runtime = new PooledRuntime(
    new Isolation({ cgroups: 'auto', cpuWeight: 1_000, copiesDirectory: '/var/lib/service-platform/runtime' }),
    { concurrency: AT_ONCE, limits: LIMITS, forkServer: 'auto' },
  );
  const directory = mkdtempSync(join(tmpdir(), 'corpus-'));

  beforeAll(async () => {
    expect(await runtime.probe()).toMatchObject({ available: true });
  });

  afterAll(async () => {
    await runtime.close();
    rmSync(directory, { recursive: true });
  });

  const inSandbox = async ({ language, code, files }: CorpusProgram, processes: number): Promise<Ran> => {
    const limits = { ...LIMITS, processes };
    const { stdout, exitCode } = await runtime.run({ id: 'exe_corpus', language, code, files, stdin: '', limits });
    return { stdout, exitCode };
  };

  /** The same interpreter, as on a machine of the program's author. */
  const locally = async ({ language, code, files }: CorpusProgram, index: number): Promise<Ran> => {
    const place = join(directory, String(index));
    const main = `main.${EXTENSION[language]}`;
    for (const { path, content } of [...files, { path: main, content: code }]) {
      mkdirSync(dirname(join(place, path)), { recursive: true });
      writeFileSync(join(place, path), content);
    }
    const [program, ...args] = language === 'python' ? [systemPython(), '-B'] : [NODE, '--no-warnings'];
    const child = spawn(program, [...args, join(place, main)], {
      cwd: place,
      env: { HOME: place, LANG: 'C.UTF-8' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    return { stdout: await text(child.stdout), exitCode: await ended };
  };

  it('are at least 200, and print in the sandbox what they print locally', async () => {
    const programs = corpus();
    expect(programs.length).toBeGreaterThanOrEqual(200);
    expect(new Set(programs.map(({ language }) => language)).size).toBe(3);

    const differences: unknown[] = [];
    const left = programs.map((program, index) => ({ program, index }));
    const work = async (): Promise<void> => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) {
        const { program, index } = next;
        // Every second one runs as for a caller without an account.
        const [local, isolated] = await Promise.all([
          locally(program, index),
          inSandbox(program, index % 2 === 0 ? PROCESSES : 0),
        ]);
        if (local.stdout !== isolated.stdout || local.exitCode !== isolated.exitCode || local.stdout === '')
          differences.push({ name: program.name, local, isolated });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    expect(differences).toEqual([]);
  }, 180_000);
});
