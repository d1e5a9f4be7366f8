/**
 * Whether programs do in the sandbox what they do in a local run of the same interpreter: output, errors and exit code.
 *
 *   npm run bench:sandbox -- agreement --directory D
 *
 * Each file of D that ends in `.py`, `.js` or `.ts` is a program. Files in a directory `D/…/beside` are none: they are
 * put beside the programs of the directory that it is in, under their names. The programs run on this machine without
 * isolation, too: take only those that you would run yourself, and run them as a user that owns nothing. A program
 * that does not do the same in two local runs, or takes longer than ten seconds, is left out and counted.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, extname, join, relative } from 'node:path';
import { text } from 'node:stream/consumers';

import { printTable } from './figures.mjs';
import { NODE, openRuntime } from './layer.mjs';

const require = createRequire(import.meta.url);
const { systemPython } = require('../../dist/src/platform/python/system-python.js');
const { PROCESSES } = require('../../dist/src/modules/sandbox/domain/sandbox-runtime.js');

const LANGUAGES = { '.py': 'python', '.js': 'javascript', '.ts': 'typescript' };
const BESIDE = 'beside';
const TIMEOUT_MS = 10_000;
const LIMITS = { timeoutMs: 30_000, memoryBytes: 256 * 1024 * 1024, outputBytes: 1024 * 1024, processes: PROCESSES };
const COMMANDS = {
  python: () => [systemPython(), '-B'],
  javascript: () => [NODE],
  typescript: () => [NODE, '--experimental-transform-types', '--disable-warning=ExperimentalWarning'],
};

const filesUnder = (directory) =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));

function programsUnder(directory) {
  return filesUnder(directory)
    .filter((path) => extname(path) in LANGUAGES && !relative(directory, path).split('/').includes(BESIDE))
    .sort()
    .map((path) => ({
      name: relative(directory, path),
      language: LANGUAGES[extname(path)],
      main: `main${extname(path)}`,
      code: readFileSync(path, 'utf8'),
      files: filesBeside(join(dirname(path), BESIDE)),
    }));
}

function filesBeside(directory) {
  if (!existsSync(directory)) return [];
  return filesUnder(directory).map((path) => ({
    path: relative(directory, path),
    content: readFileSync(path, 'utf8'),
  }));
}

/** The directory is that of the sandbox, and a warning names the process. */
const comparable = (output, place) => output.replaceAll(place, '/tmp').replace(/\(node:\d+\)/g, '(node:1)');

async function runLocally({ language, main, code, files }, scratch) {
  const place = mkdtempSync(join(scratch, 'run-'));
  for (const { path, content } of [...files, { path: main, content: code }]) {
    mkdirSync(dirname(join(place, path)), { recursive: true });
    writeFileSync(join(place, path), content);
  }
  const [program, ...parameters] = COMMANDS[language]();
  const child = spawn(program, [...parameters, join(place, main)], {
    cwd: place,
    env: { HOME: place, LANG: 'C.UTF-8' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode, signal) => resolve({ exitCode, signal }));
  });
  const [stdout, stderr, end] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  rmSync(place, { recursive: true });
  return { stdout: comparable(stdout, place), stderr: comparable(stderr, place), exitCode: end.exitCode };
}

async function runInSandbox(runtime, { language, code, files }) {
  const outcome = await runtime.run({ id: 'exe_bench', language, code, files, stdin: '', limits: LIMITS });
  return {
    stdout: outcome.stdout,
    stderr: comparable(outcome.stderr, '/tmp'),
    exitCode: outcome.exitCode,
  };
}

const differencesOf = (one, other) => ['exitCode', 'stdout', 'stderr'].filter((what) => one[what] !== other[what]);

/** The first line in which two outputs differ. */
function firstDifference(one, other) {
  const [lines, others] = [one, other].map((output) => String(output).split('\n'));
  const at = lines.findIndex((line, index) => line !== others[index]);
  const line = at < 0 ? lines.length : at;
  return `line ${line + 1}: ${JSON.stringify(lines[line] ?? null)} here, ${JSON.stringify(others[line] ?? null)} there`;
}

async function compare(runtime, program, scratch) {
  const local = await runLocally(program, scratch);
  if (local.exitCode === null) return { ...program, kind: 'left out', why: 'takes too long or ends by a signal' };
  const isolated = await runInSandbox(runtime, program);
  const differences = differencesOf(local, isolated);
  if (differences.length === 0) return { ...program, kind: 'alike' };
  const again = differencesOf(local, await runLocally(program, scratch));
  if (again.length > 0) return { ...program, kind: 'left out', why: `differs between local runs: ${again.join(', ')}` };
  const why = differences.map((what) => `${what}, ${firstDifference(local[what], isolated[what])}`);
  return { ...program, kind: 'differs', why: why.join('; ') };
}

async function compareAll(runtime, programs) {
  const scratch = mkdtempSync(join(tmpdir(), 'agreement-'));
  const left = [...programs];
  const compared = [];
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift())
      compared.push(await compare(runtime, next, scratch));
  };
  try {
    await Promise.all([work(), work()]);
  } finally {
    rmSync(scratch, { recursive: true });
  }
  return compared;
}

export async function benchAgreement({ directory, cgroups = 'auto', cpuWeight = 100 }) {
  const { runtime, mode } = await openRuntime({ cgroups, cpuWeight }, 'auto');
  try {
    const compared = await compareAll(runtime, programsUnder(directory));
    const rows = Object.values(LANGUAGES).map((language) => {
      const count = (kind) => compared.filter((one) => one.language === language && one.kind === kind).length;
      return { language, alike: count('alike'), differ: count('differs'), 'left out': count('left out') };
    });
    printTable(`Agreement with a local run, ${mode}`, rows);
    for (const kind of ['differs', 'left out'])
      for (const { name, why } of compared
        .filter((one) => one.kind === kind)
        .sort((a, b) => (a.name < b.name ? -1 : 1)))
        console.log(`${kind}: ${name}: ${why}`);
  } finally {
    await runtime.close();
  }
}
