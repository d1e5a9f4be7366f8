import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { type Language, PROCESSES, type SandboxLimits } from '../../src/modules/sandbox/domain/sandbox-runtime.js';
import { PooledRuntime } from '../../src/modules/sandbox/runtime/pooled-runtime.js';
import { SessionProcesses } from '../../src/modules/sandbox/sessions/host/session-processes.js';
import { Isolation } from '../../src/platform/isolation/isolation.js';
import { onThisMachine } from '../support/patience.js';
import { makeScratchDirectory, removeScratchDirectory } from '../support/scratch-directory.js';

const MEBIBYTE = 1024 * 1024;
const LIMITS: SandboxLimits = {
  timeoutMs: onThisMachine(10_000),
  memoryBytes: 256 * MEBIBYTE,
  outputBytes: MEBIBYTE,
};
const NODE = join(dirname(createRequire(__filename).resolve(`node-linux-${process.arch}/package.json`)), 'bin/node');

/** What code of each kind begins with; the syntax says which kind it is. */
const KINDS = [
  ['CommonJS', 'javascript', 'js', "require('node:path');"],
  ['an ES module', 'javascript', 'js', "import 'node:path';"],
  ['CommonJS', 'typescript', 'ts', "const path: string = require('node:path').sep;"],
  ['an ES module', 'typescript', 'ts', "import 'node:path'; const path: string = '';"],
] as const;

const LIST =
  'const all = Object.getOwnPropertyNames(globalThis); const shown = []; ' +
  'for (const val in globalThis) shown.push(val);';
const PRINT = 'console.log(JSON.stringify({ all, shown }));';

/** The check of `test/common/index.js` of Node, with the names that a bare Node has. */
const leakCheck = (known: readonly string[]): string =>
  `const known = new Set(${JSON.stringify(known)}); const leaked = [];
for (const val in globalThis) if (!known.has(val)) leaked.push(val);
console.log(JSON.stringify(leaked));`;

interface Names {
  readonly all: readonly string[];
  readonly shown: readonly string[];
}

describe('the globals of a program', () => {
  const isolation = new Isolation({
    cgroups: 'auto',
    cpuWeight: 1_000,
    copiesDirectory: '/var/lib/service-platform/runtime',
  });
  const runtime = new PooledRuntime(isolation, { concurrency: 1, limits: LIMITS, forkServer: 'auto' });
  const sessions = new SessionProcesses(isolation);
  const directory = makeScratchDirectory();

  beforeAll(async () => {
    expect(await runtime.probe()).toMatchObject({ available: true });
  });
  afterAll(async () => {
    await sessions.closeAll();
    await runtime.close();
    removeScratchDirectory(directory);
  });

  /** The names that Node has by itself, on this machine. */
  const bare = (extension: string, start: string): Names => {
    const path = join(directory, `main.${extension}`);
    writeFileSync(path, `${start}\n${LIST}\n${PRINT}`);
    return JSON.parse(execFileSync(NODE, ['--no-warnings', path]).toString()) as Names;
  };

  const print = async (language: Language, code: string, processes: number): Promise<unknown> => {
    const run = { id: 'exe_globals', language, code, stdin: '', limits: { ...LIMITS, processes } };
    const { stdout, stderr } = await runtime.run(run);
    expect(stderr).toBe('');
    return JSON.parse(stdout) as unknown;
  };

  describe.each([
    ['without processes', 0],
    ['with processes', PROCESSES],
  ])('%s', (_with, processes) => {
    it.each(KINDS)('are those of Node, by its own check, in %s of %s', async (_kind, language, extension, start) => {
      const known = bare(extension, start);
      const run = (code: string): Promise<unknown> => print(language, `${start}\n${code}`, processes);
      expect(await run(leakCheck(known.shown))).toEqual([]);
      expect(await run(`globalThis.mine = 1;\n${leakCheck(known.shown)}`)).toEqual(['mine']);
      // Nor is one hidden from that check, or missing.
      expect(await run(`${LIST}\n${PRINT}`)).toEqual(known);
    });
  });

  it.each(['javascript', 'typescript'] as const)(
    'are, in a session of %s, those of Node by its own check, and the hidden ones of a module',
    async (language) => {
      const known = bare('js', KINDS[0][3]);
      const limits = { memoryBytes: 384 * MEBIBYTE, processes: PROCESSES, filesBytes: 32 * MEBIBYTE };
      const session = await sessions.start({ id: 'ses_globals', language, limits });
      const run = async (code: string): Promise<any> => {
        const { stdout, stderr } = await session.run({ code, ...LIMITS });
        expect(stderr).toBe('');
        return JSON.parse(stdout);
      };
      // A block, because what a cell declares at its top is global.
      expect(await run(`{\n${leakCheck(known.shown)}\n}`)).toEqual([]);
      const { all } = (await run(`{\n${LIST}\n${PRINT}\n}`)) as Names;
      const own = all.filter((name) => !known.all.includes(name));
      expect(own.sort()).toEqual(['__dirname', '__filename', 'exports', 'module', 'require']);
      expect(known.all.filter((name) => !all.includes(name))).toEqual([]);
      // A cell's own names are what Node takes for leaked, as in its REPL.
      await run('var mine = 1; console.log(mine)');
      expect(await run(`{\n${leakCheck(known.shown)}\n}`)).toEqual(['mine']);
    },
  );
});
