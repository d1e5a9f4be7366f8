import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';

import {
  PROCESSES,
  type SandboxLimits,
  type SandboxRuntime,
} from '../../../src/modules/sandbox/domain/sandbox-runtime.js';
import { PooledRuntime } from '../../../src/modules/sandbox/runtime/pooled-runtime.js';
import { Isolation } from '../../../src/platform/isolation/isolation.js';
import { systemPython } from '../../../src/platform/python/system-python.js';
import { type CorpusProgram } from './corpus.js';

const LIMITS: SandboxLimits = { timeoutMs: 30_000, memoryBytes: 256 * 1024 * 1024, outputBytes: 1024 * 1024 };
const AT_ONCE = 3;
const EXTENSIONS = { python: 'py', javascript: 'js', typescript: 'ts' } as const;
const NODE = join(dirname(createRequire(__filename).resolve(`node-linux-${process.arch}/package.json`)), 'bin/node');

/** The same interpreters, as on a machine of a program's author. */
const COMMANDS = {
  python: [systemPython(), '-B'],
  javascript: [NODE],
  typescript: [NODE, '--disable-warning=ExperimentalWarning'],
} as const;

interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
}

/** Compares programs in the sandbox with the same programs on this machine. */
export class Agreement {
  private readonly directory = mkdtempSync(join(tmpdir(), 'corpus-'));

  private constructor(private readonly runtime: SandboxRuntime) {}

  static async open(): Promise<Agreement> {
    const runtime = new PooledRuntime(
      new Isolation({ cgroups: 'auto', cpuWeight: 1_000, copiesDirectory: '/var/lib/service-platform/runtime' }),
      { concurrency: AT_ONCE, limits: LIMITS, forkServer: 'auto' },
    );
    expect(await runtime.probe()).toMatchObject({ available: true });
    return new Agreement(runtime);
  }

  async close(): Promise<void> {
    await this.runtime.close();
    rmSync(this.directory, { recursive: true });
  }

  /** Returns the programs that do something else in the sandbox, and what. */
  async differencesOf(programs: readonly CorpusProgram[]): Promise<object[]> {
    const differences: object[] = [];
    const left = programs.map((program, index) => ({ program, index }));
    const work = async (): Promise<void> => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) {
        const { program, index } = next;
        // Every second one runs as for a caller without an account.
        const [local, isolated] = await Promise.all([
          this.locally(program, index),
          this.inSandbox(program, index % 2 === 0 ? PROCESSES : 0),
        ]);
        const { name } = program;
        if (JSON.stringify(local) !== JSON.stringify(isolated)) differences.push({ name, local, isolated });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return differences;
  }

  private async inSandbox({ language, code, files }: CorpusProgram, processes: number): Promise<Ran> {
    const limits = { ...LIMITS, processes };
    const run = { id: 'exe_corpus', language, code, files, stdin: '', limits };
    const { stdout, stderr, exitCode } = await this.runtime.run(run);
    return { stdout, stderr: withoutProcess(stderr), exitCode };
  }

  private async locally({ language, code, files }: CorpusProgram, index: number): Promise<Ran> {
    const place = join(this.directory, String(index));
    const main = `main.${EXTENSIONS[language]}`;
    for (const { path, content } of [...files, { path: main, content: code }]) {
      mkdirSync(dirname(join(place, path)), { recursive: true });
      writeFileSync(join(place, path), content);
    }
    const [program, ...args] = COMMANDS[language];
    const child = spawn(program, [...args, join(place, main)], {
      cwd: place,
      env: { HOME: place, LANG: 'C.UTF-8' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    // The directory of a program is the only thing that its author's machine has under another name.
    const asInside = (output: string): string => output.replaceAll(place, '/tmp');
    return { stdout: asInside(stdout), stderr: withoutProcess(asInside(stderr)), exitCode: await ended };
  }
}

/** Node begins a warning with the number of its process. */
const withoutProcess = (stderr: string): string => stderr.replace(/^\(node:\d+\)/gm, '(node)');
