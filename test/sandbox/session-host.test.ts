import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { type Language, type OutputPiece } from '../../src/modules/sandbox/domain/sandbox-runtime.js';
import {
  SessionEnded,
  SessionFileNotFound,
  SessionFileTooLarge,
  type SessionOutcome,
  SessionPathInvalid,
  type SessionProcess,
  type SessionStart,
  type SessionWork,
} from '../../src/modules/sandbox/sessions/host/session-process.js';
import { SessionProcesses } from '../../src/modules/sandbox/sessions/host/session-processes.js';
import { Isolation } from '../../src/platform/isolation/isolation.js';
import { onThisMachine, soon } from '../support/patience.js';
import { makeScratchDirectory, removeScratchDirectory } from '../support/scratch-directory.js';

/** Root's own, unlike anything below /tmp. */
const COPIES = '/var/lib/service-platform/runtime';
const MEBIBYTE = 1024 * 1024;
const LIMITS = { memoryBytes: 384 * MEBIBYTE, processes: 64, filesBytes: 32 * MEBIBYTE };
const WORK = { timeoutMs: onThisMachine(10_000), outputBytes: MEBIBYTE };

const isolation = new Isolation({ cgroups: 'auto', cpuWeight: 1_000, copiesDirectory: COPIES });
const sessions = new SessionProcesses(isolation);

afterAll(async () => {
  await sessions.closeAll();
  await isolation.close();
});

const start = (language: Language, spec: Partial<SessionStart> = {}): Promise<SessionProcess> =>
  sessions.start({ id: 'ses_test', language, limits: LIMITS, ...spec });

const run = (session: SessionProcess, code: string, work: Partial<SessionWork> = {}): Promise<SessionOutcome> =>
  session.run({ code, ...WORK, ...work });

const sh = (session: SessionProcess, command: string, work: Partial<SessionWork> = {}): Promise<SessionOutcome> =>
  session.shell({ command, ...WORK, ...work });

/** The text of the one result. */
const shown = (outcome: SessionOutcome): string | undefined => outcome.results[0]?.data;

describe('a Python session', () => {
  let session: SessionProcess;
  beforeAll(async () => {
    session = await start('python');
  });

  it('keeps variables, functions, classes and modules between runs', async () => {
    expect(await run(session, 'import math\nx = 20\nclass A:\n  n = 1\ndef f(y): return x + y')).toEqual({
      status: 'succeeded',
      stdout: '',
      stderr: '',
      truncated: { stdout: false, stderr: false },
      exitCode: 0,
      signal: null,
      durationMs: expect.any(Number),
      cpuMs: expect.any(Number),
      memoryPeakBytes: expect.any(Number),
      results: [],
      runtime: { name: 'python', version: expect.stringMatching(/^3\.\d+\.\d+$/) },
      stateLost: false,
    });
    expect(shown(await run(session, 'x += 1\nmath.floor(f(A.n))'))).toBe('22');
    expect(shown(await run(session, '_ + 1'))).toBe('23');
  });

  it('shows the last expression in its richest form, and nothing for None', async () => {
    const code = 'class H:\n  def _repr_html_(self): return "<b>hi</b>"\nH()';
    expect((await run(session, code)).results).toEqual([{ type: 'text/html', data: '<b>hi</b>' }]);
    expect((await run(session, 'None')).results).toEqual([]);
    expect((await run(session, '"a"; "b"')).results).toEqual([{ type: 'text/plain', data: "'b'" }]);
  });

  it('awaits outside of functions', async () => {
    const code = 'import asyncio\nawait asyncio.sleep(0.01)\nasync def g(): return 7\nawait g()';
    expect(shown(await run(session, code))).toBe('7');
  });

  it('describes an error in the lines of the cell that raised it', async () => {
    await run(session, '# a line\ndef broken():\n  raise ValueError("of the first cell")');
    const outcome = await run(session, '\n\nbroken()');
    expect(outcome).toMatchObject({ status: 'failed', exitCode: 1, stateLost: false });
    expect(outcome.error).toMatchObject({ name: 'ValueError', message: 'of the first cell', line: 3 });
    expect(outcome.stderr).toMatch(/cell-\d+\.py", line 3, in <module>\n {4}broken\(\)/);
    expect(outcome.stderr).toMatch(/line 3, in broken\n {4}raise ValueError\("of the first cell"\)\nValueError/);
    expect(outcome.stderr).not.toContain('/runtime/');
    expect((await run(session, 'x = (')).error).toMatchObject({ name: 'SyntaxError', line: 1, column: 5 });
    expect(shown(await run(session, '1'))).toBe('1');
  });

  it('reads the standard input of each run', async () => {
    expect((await run(session, 'print(input(), input())', { stdin: 'a\nb\n' })).stdout).toBe('a b\n');
    expect((await run(session, 'open("/dev/stdin").read()', { stdin: 'again' })).results[0]?.data).toBe("'again'");
    expect((await run(session, 'input()')).error?.name).toBe('EOFError');
  });

  it('lets a forked process end at the end of its cell', async () => {
    const outcome = await run(session, 'import os\npid = os.fork()\nif pid: os.waitpid(pid, 0)\nprint("at the end")');
    expect(outcome).toMatchObject({ status: 'succeeded', stdout: 'at the end\nat the end\n' });
    expect(shown(await run(session, '1 + 1'))).toBe('2');
  });

  it('runs processes, multiprocessing and threads', async () => {
    const code = `import subprocess, multiprocessing, threading
def square(n): return n * n
with multiprocessing.Pool(2) as pool: print(pool.map(square, [1, 2, 3]))
print(subprocess.run(["sh", "-c", "echo from sh"], capture_output=True, text=True).stdout)`;
    expect(await run(session, code)).toMatchObject({ status: 'succeeded', stdout: '[1, 4, 9]\nfrom sh\n\n' });
  });

  it.each([
    ['sys.exit(3)', { status: 'failed', exitCode: 3, signal: null }],
    ['sys.exit()', { status: 'succeeded', exitCode: 0, signal: null }],
    ['os._exit(4)', { status: 'failed', exitCode: 4, signal: null }],
    ['os.abort()', { status: 'failed', exitCode: null, signal: 'SIGABRT' }],
    ['os.kill(os.getpid(), 9)', { status: 'failed', exitCode: null, signal: 'SIGKILL' }],
    ['os.close(3)', { status: 'failed' }],
  ])('starts a new interpreter after %s, and says that variables are gone', async (code, end) => {
    await run(session, 'import os, sys\nkept = 1\nopen("kept.txt", "w").write("kept")');
    expect(await run(session, `print("before", flush=True)\n${code}`)).toMatchObject({
      ...end,
      stdout: 'before\n',
      stateLost: true,
    });
    expect((await run(session, 'kept')).error?.name).toBe('NameError');
    expect(await run(session, 'open("kept.txt").read()')).toMatchObject({ stateLost: false });
    expect((await session.readFile('kept.txt')).toString()).toBe('kept');
  });

  it('says that variables are gone when its interpreter ended between two runs', async () => {
    await run(session, 'import os, threading\nthreading.Timer(0.05, os._exit, [0]).start()');
    await sleep(onThisMachine(200));
    expect(await run(session, '5')).toMatchObject({ status: 'succeeded', stateLost: true });
  });

  it('interrupts a run at its time limit and keeps the variables', async () => {
    await run(session, 'x = 41');
    const outcome = await run(session, 'x = 42\nwhile True: pass', { timeoutMs: 200 });
    expect(outcome).toMatchObject({ status: 'timed_out', stateLost: false });
    expect(outcome.error).toMatchObject({ name: 'KeyboardInterrupt', line: 2 });
    expect(outcome.durationMs).toBeGreaterThan(190);
    expect(shown(await run(session, 'x'))).toBe('42');
  });

  it('replaces the interpreter when the code takes no interruption', async () => {
    const code = 'import time\nwhile True:\n  try: time.sleep(100)\n  except BaseException: pass';
    expect(await run(session, code, { timeoutMs: 200 })).toMatchObject({
      status: 'timed_out',
      signal: 'SIGKILL',
      stateLost: true,
    });
    expect(shown(await run(session, '1'))).toBe('1');
  });

  it('interrupts a run that its caller gives up, before it begins as well', async () => {
    const caller = new AbortController();
    const running = session.run({ code: 'import time; time.sleep(60)', ...WORK }, caller.signal);
    await sleep(100);
    caller.abort();
    expect(await running).toMatchObject({ status: 'failed', stateLost: false });
    const outcome = await session.run({ code: 'import time; time.sleep(60)', ...WORK }, AbortSignal.abort());
    expect(outcome.status).toBe('failed');
    expect(outcome.durationMs).toBeLessThan(onThisMachine(5_000));
  });

  it('ends a run with more output than its limit, and keeps the variables', async () => {
    await run(session, 'x = 5');
    const outcome = await run(session, 'while True: print("é" * 1000)', { outputBytes: 100_000 });
    expect(outcome).toMatchObject({ status: 'output_limit', truncated: { stdout: true, stderr: false } });
    // The limit is in the middle of a character.
    expect(Buffer.byteLength(outcome.stdout)).toBe(99_999);
    expect(outcome.stdout.replaceAll(/[é\n]/g, '')).toBe('');
    expect(shown(await run(session, 'x'))).toBe('5');
  });

  it('passes output on while it arrives, in order, without cutting characters', async () => {
    const pieces: OutputPiece[] = [];
    const times: number[] = [];
    const code = `import sys, time
data = "a€😀".encode()
for byte in data * 30:
  sys.stdout.buffer.write(bytes([byte])); sys.stdout.buffer.flush(); time.sleep(0.001)
print("to stderr", file=sys.stderr)`;
    const outcome = await session.run({ code, ...WORK }, undefined, (more) => {
      pieces.push(...more);
      times.push(performance.now());
    });
    const text = (stream: string): string =>
      pieces
        .filter((piece) => piece.stream === stream)
        .map((piece) => piece.text)
        .join('');
    expect(text('stdout')).toBe('a€😀'.repeat(30));
    expect(pieces.every((piece) => !piece.text.includes('\ufffd'))).toBe(true);
    expect(outcome.stdout).toBe('a€😀'.repeat(30));
    expect(text('stderr')).toBe('to stderr\n');
    expect(times.length).toBeGreaterThan(2);
    expect(times.at(-1)! - times[0]!).toBeGreaterThan(50);
  });

  it('keeps a web server in the background, whose later output is dropped', async () => {
    const server = await run(
      session,
      `import subprocess, sys, time, urllib.request
server = subprocess.Popen([sys.executable, "-u", "-m", "http.server", "8123", "--bind", "127.0.0.1"])
def get():
  for _ in range(200):
    try: return urllib.request.urlopen("http://127.0.0.1:8123/").status
    except OSError: time.sleep(0.05)`,
    );
    expect(server.status).toBe('succeeded');
    expect(shown(await run(session, 'get()'))).toBe('200');
    await sh(session, 'sleep 0.2; echo noise > /proc/$$/fd/1');
    expect(await run(session, '1')).toMatchObject({ stdout: '', stderr: '' });
    expect(shown(await run(session, 'server.poll() is None'))).toBe('True');
    await run(session, 'server.kill(); server.wait()');
  });

  it('is refused memory beyond its limit, and goes on', async () => {
    await run(session, 'x = 6');
    const outcome = await run(session, 'y = bytearray(1_000_000_000)');
    expect(outcome).toMatchObject({ status: 'out_of_memory', error: { name: 'MemoryError' }, stateLost: false });
    expect(shown(await run(session, 'x'))).toBe('6');
  });

  it('shows results up to their bounds', async () => {
    const outcome = await run(session, '"x" * 10_000_000');
    expect(outcome.status).toBe('succeeded');
    expect(shown(outcome)!.length).toBeLessThan(100_000);
    const large = await run(session, 'class L:\n  def _repr_html_(self): return "y" * 4_000_000\nL()');
    expect(shown(large)).toHaveLength(4_000_000);
  });

  it('needs little more time than the code itself', async () => {
    expect(await medianMs(session)).toBeLessThan(onThisMachine(3));
  });
});

describe.each(['javascript', 'typescript'] as const)('a %s session', (language) => {
  let session: SessionProcess;
  beforeAll(async () => {
    session = await start(language);
  });

  it('keeps what is declared at the top of a cell', async () => {
    const code = `const a = 1; let { b, ...rest } = { b: 2, c: 3 };
var d = 4
function f(n) { return n + a }
class K { m() { return 5 } }
for (var i = 0; i < 3; i++) { var inner = i }
if (a) var only = 7
for (const hidden of [1]) {}
const arrow = () => 8
;[1].map(arrow)`;
    expect(await run(session, code)).toMatchObject({ status: 'succeeded', results: [{ data: '[ 8 ]' }] });
    expect(
      shown(await run(session, '[a, b, rest.c, d, f(1), new K().m(), i, inner, only, typeof hidden].join()')),
    ).toBe("'1,2,3,4,2,5,3,2,7,undefined'");
  });

  it('takes the same cell again', async () => {
    for (const value of [1, 2]) {
      const code = `const again = ${value}; class Again {}; function g() { return again }\ng()`;
      expect(shown(await run(session, code))).toBe(String(value));
    }
    expect(shown(await run(session, 'const crypto = require("node:crypto"); typeof crypto.createHash'))).toBe(
      "'function'",
    );
  });

  it('awaits and imports at the top', async () => {
    const code = `import fs, { readFileSync as read } from 'node:fs';
import * as path from 'node:path';
const late = await new Promise((resolve) => setTimeout(resolve, 5, 'late'));
export const exported = late + '!';
export default 5;`;
    expect(await run(session, code)).toMatchObject({ status: 'succeeded', results: [{ data: '5' }] });
    expect(shown(await run(session, 'typeof read + typeof fs.statSync + path.sep + exported'))).toBe(
      "'functionfunction/late!'",
    );
    await session.writeFile('lib/own.mjs', Buffer.from('export const own = 9'));
    expect(shown(await run(session, 'import { own } from "./lib/own.mjs"; own'))).toBe('9');
    expect(shown(await run(session, '(await import("./lib/own.mjs")).own'))).toBe('9');
    expect(shown(await run(session, 'import.meta.dirname'))).toBe("'/session'");
  });

  it('waits for an asynchronous program that is its last expression', async () => {
    const code = 'async function main() { await null; setTimeout; console.log("done"); return 3 }\nmain()';
    expect(await run(session, code)).toMatchObject({ stdout: 'done\n', results: [{ type: 'text/plain', data: '3' }] });
  });

  it('describes errors in the lines and columns of the cell', async () => {
    const extension = language === 'javascript' ? 'js' : 'ts';
    const outcome = await run(session, 'const ok = 1\n\n  null.x');
    expect(outcome).toMatchObject({ status: 'failed', exitCode: 1, stateLost: false });
    expect(outcome.error).toMatchObject({ name: 'TypeError', line: 3, column: 8 });
    expect(outcome.stderr).toMatch(new RegExp(`^TypeError: .*\\n    at /session/cell-\\d+\\.${extension}:3:8\\n$`));
    expect((await run(session, 'const x = \n\n  = 2')).error).toMatchObject({
      name: 'SyntaxError',
      line: 3,
      column: 3,
    });
    expect((await run(session, 'throw 5')).error).toMatchObject({ name: 'Error', message: '5' });
    expect(
      (await run(session, 'setTimeout(() => { throw new RangeError("late") }); await new Promise(() => {})')).error,
    ).toMatchObject({ name: 'RangeError', message: 'late' });
  });

  it('reads the standard input of each run', async () => {
    const code = 'require("fs").readFileSync(0, "utf8")';
    expect(shown(await run(session, code, { stdin: 'abc' }))).toBe("'abc'");
    const stream = 'let all = ""; for await (const piece of process.stdin) all += piece; all';
    expect(shown(await run(session, stream, { stdin: 'def' }))).toBe("'def'");
    expect(shown(await run(session, stream))).toBe("''");
  });

  it.each([
    ['for (;;);', 'a loop'],
    ['await new Promise(() => setInterval(() => {}, 1000))', 'a promise'],
  ])('interrupts %s at its time limit and keeps the variables', async (code) => {
    await run(session, 'var kept = 1');
    expect(await run(session, code, { timeoutMs: 200 })).toMatchObject({ status: 'timed_out', stateLost: false });
    expect(shown(await run(session, 'kept'))).toBe('1');
  });

  it('replaces the interpreter when the code cannot be interrupted or exits', async () => {
    const blocking = 'setTimeout(() => { for (;;); }); await new Promise(() => {})';
    expect(await run(session, blocking, { timeoutMs: 200 })).toMatchObject({ status: 'timed_out', stateLost: true });
    expect(shown(await run(session, 'typeof kept'))).toBe("'undefined'");
    expect(await run(session, 'console.log(1); process.exit(7)')).toMatchObject({
      status: 'failed',
      stdout: '1\n',
      exitCode: 7,
      stateLost: true,
    });
  });

  it('starts workers, processes and servers', async () => {
    const code = `const { Worker } = require('node:worker_threads');
const worker = new Worker('require("node:worker_threads").parentPort.postMessage("worker")', { eval: true });
console.log(await new Promise((resolve, reject) => worker.on('message', resolve).on('error', reject)));
console.log(require('node:child_process').execSync('echo process').toString().trim());
const server = require('node:http').createServer((_request, response) => response.end('server'));
await new Promise((resolve) => server.listen(8124, resolve));`;
    expect(await run(session, code)).toMatchObject({ status: 'succeeded', stdout: 'worker\nprocess\n' });
    expect(shown(await run(session, '(await fetch("http://127.0.0.1:8124")).text()'))).toBe("'server'");
  });

  it('needs little more time than the code itself', async () => {
    expect(await medianMs(session)).toBeLessThan(onThisMachine(3));
  });

  it('loses its variables when its heap is exhausted', async () => {
    const outcome = await run(session, 'const all = []; for (;;) all.push(new Array(1e5).fill({}))', {
      timeoutMs: onThisMachine(20_000),
    });
    expect(outcome).toMatchObject({ status: 'out_of_memory', stateLost: true });
    expect(shown(await run(session, '1'))).toBe('1');
  });
});

it('runs TypeScript with enums, types and JSX, whose imports later cells use', async () => {
  const session = await start('typescript', { options: { typescript: { jsx: 'react' } } });
  const code = `interface Point { x: number }
enum Level { Low = 3 }
const point: Point = { x: Level.Low };
import { sep } from 'node:path';
const React = { createElement: (name: string, ...rest: unknown[]) => name };
<div/>`;
  expect(await run(session, code)).toMatchObject({ results: [{ data: "'div'" }] });
  expect(shown(await run(session, 'const p: Point = point; p.x + sep + Level[3]'))).toBe("'3/Low'");
  expect(shown(await run(session, 'import type { Stats } from "node:fs";\n5'))).toBe('5');
  await session.writeFile('own.ts', Buffer.from('export enum E { A = 6 }'));
  expect(shown(await run(session, 'import { E } from "./own.ts"; E.A as number'))).toBe('6');
});

describe('the shell and files of a session', () => {
  let session: SessionProcess;
  beforeAll(async () => {
    session = await start('python', { options: { environment: { GREETING: 'hello' }, timeZone: 'Asia/Tokyo' } });
  });

  it('runs commands in the working directory, with the environment of the session', async () => {
    expect(
      await sh(session, 'pwd; echo $GREETING; date +%Z; cat; echo err >&2; exit 3', { stdin: 'in\n' }),
    ).toMatchObject({
      status: 'failed',
      stdout: '/session\nhello\nJST\nin\n',
      stderr: 'err\n',
      exitCode: 3,
      signal: null,
      results: [],
      stateLost: false,
    });
    expect(await sh(session, 'true')).toMatchObject({ status: 'succeeded', exitCode: 0 });
    expect(await sh(session, 'kill -TERM $$')).toMatchObject({ status: 'failed', exitCode: null, signal: 'SIGTERM' });
    expect((await run(session, 'import os; os.environ["GREETING"]')).results[0]?.data).toBe("'hello'");
    expect((await sh(session, 'node -p 1+1; python3 -c "print(2)"; id -un')).stdout).toBe('2\n2\nsandbox\n');
  });

  it('ends a command with everything in its group at the time limit', async () => {
    const outcome = await sh(session, 'sleep 61 & sleep 62; echo never', { timeoutMs: 300 });
    expect(outcome).toMatchObject({ status: 'timed_out', signal: 'SIGKILL', stateLost: false, stdout: '' });
    expect((await sh(session, 'cat /proc/[0-9]*/cmdline | tr "\\0" " "')).stdout).not.toMatch(/sleep 6[12]/);
  });

  it('ends a command with more output than its limit', async () => {
    const outcome = await sh(session, 'yes', { outputBytes: 1_000 });
    expect(outcome).toMatchObject({ status: 'output_limit', signal: 'SIGKILL', truncated: { stdout: true } });
    expect(outcome.stdout).toBe('y\n'.repeat(500));
  });

  it('says when a command was ended because memory ran out', async () => {
    const own = await start('python');
    const outcome = await sh(own, 'python3 -c "x = bytearray(2_000_000_000)"');
    expect(outcome).toMatchObject({ status: 'out_of_memory' });
    await own.end();
  });

  it('lets a command leave processes behind', async () => {
    expect(await sh(session, 'sleep 63 & echo left')).toMatchObject({ status: 'succeeded', stdout: 'left\n' });
    expect((await sh(session, 'cat /proc/[0-9]*/cmdline | tr "\\0" " "')).stdout).toContain('sleep 63');
  });

  it('writes, lists, reads and removes files', async () => {
    const bytes = Buffer.from([0, 255, 10, 128]);
    await session.writeFile('deep/er/data.bin', bytes);
    expect(await session.readFile('deep/er/data.bin')).toEqual(bytes);
    await session.writeFile('deep/er/data.bin', Buffer.from('shorter'));
    expect((await sh(session, 'cat deep/er/data.bin')).stdout).toBe('shorter');
    expect(await session.listFiles('deep')).toEqual([
      { path: 'deep/er', type: 'directory', sizeBytes: expect.any(Number), modifiedAtMs: expect.any(Number) },
    ]);
    const [file] = await session.listFiles('deep/er');
    expect(file).toMatchObject({ path: 'deep/er/data.bin', type: 'file', sizeBytes: 7 });
    expect(Math.abs(file!.modifiedAtMs - Date.now())).toBeLessThan(60_000);
    await session.removeFile('deep/er/data.bin');
    await expect(session.readFile('deep/er/data.bin')).rejects.toThrow(SessionFileNotFound);
    await session.removeFile('deep');
    await expect(session.listFiles('deep')).rejects.toThrow(SessionFileNotFound);
    await expect(session.removeFile('deep')).rejects.toThrow(SessionFileNotFound);
  });

  it('refuses paths that lead elsewhere, and files that are too large', async () => {
    for (const path of ['/etc/passwd', '../x', 'a/../../x', 'a\0b', '', 'x'.repeat(5_000)])
      await expect(session.writeFile(path, Buffer.from('x'))).rejects.toThrow(SessionPathInvalid);
    await session.writeFile('file', Buffer.from('x'));
    await expect(session.writeFile('file/x', Buffer.from('x'))).rejects.toThrow(SessionPathInvalid);
    await sh(session, 'mkdir -p directory');
    await expect(session.writeFile('directory', Buffer.from('x'))).rejects.toThrow(SessionPathInvalid);
    await expect(session.readFile('directory')).rejects.toThrow(SessionFileNotFound);
    await sh(session, 'truncate -s 9M large');
    await expect(session.readFile('large')).rejects.toThrow(SessionFileTooLarge);
    await session.removeFile('large');
    await session.writeFile('largest', Buffer.alloc(8 * MEBIBYTE, 'z'));
    expect((await session.readFile('largest')).equals(Buffer.alloc(8 * MEBIBYTE, 'z'))).toBe(true);
    await session.removeFile('largest');
    await expect(session.writeFile('x', Buffer.alloc(8 * MEBIBYTE + 1))).rejects.toThrow(SessionFileTooLarge);
  });

  it('takes many large files at once, on a busy machine and in little memory', async () => {
    const limits = { memoryBytes: 128 * MEBIBYTE, processes: 16, filesBytes: 64 * MEBIBYTE };
    const own = await start('python', { limits });
    await sh(own, 'for n in 1 2 3 4; do (while :; do :; done) & done');
    const bytes = Buffer.alloc(8 * MEBIBYTE, 'y');
    const written = await Promise.allSettled(
      Array.from({ length: 9 }, (_, index) => own.writeFile(`large${index}`, bytes)),
    );
    // Only the last finds no room.
    expect(written.map(({ status }) => status)).toEqual([...Array(7).fill('fulfilled'), 'fulfilled', 'rejected']);
    expect(written.at(-1)).toMatchObject({ reason: { name: 'SessionDiskFull' } });
    expect((await own.readFile('large3')).equals(bytes)).toBe(true);
    expect(shown(await run(own, '1 + 1'))).toBe('2');
    await own.end();
  });

  it('works on files while a run is under way', async () => {
    const waiting = 'import os, time\nwhile not os.path.exists("go"): time.sleep(0.01)\nopen("go").read()';
    const running = run(session, waiting);
    await sleep(50);
    await session.writeFile('go', Buffer.from('went'));
    const outcome = await running;
    expect(outcome.status).toBe('succeeded');
  });
});

it('finds packages in mounted directories', async () => {
  const directory = makeScratchDirectory();
  try {
    chmodSync(directory, 0o755);
    mkdirSync(join(directory, 'node_modules/pack'), { recursive: true });
    mkdirSync(join(directory, 'python/pack'), { recursive: true });
    writeFileSync(join(directory, 'node_modules/pack/index.js'), 'exports.from = "npm"');
    writeFileSync(join(directory, 'python/pack/__init__.py'), 'origin = "pip"');
    const mounts = [
      { from: join(directory, 'node_modules'), to: '/node_modules' },
      { from: join(directory, 'python'), to: '/packages' },
    ];
    const node = await start('javascript', { mounts });
    expect(shown(await run(node, 'import { from } from "pack"; from + require("pack").from'))).toBe("'npmnpm'");
    const python = await start('python', { mounts, options: { environment: { PYTHONPATH: '/packages' } } });
    expect(shown(await run(python, 'import pack; pack.origin'))).toBe("'pip'");
    await Promise.all([node.end(), python.end()]);
  } finally {
    removeScratchDirectory(directory);
  }
});

describe('a frozen session', () => {
  it('uses no processor time, and goes on where it was', async () => {
    const session = await start('python');
    await run(session, 'import subprocess\nloop = subprocess.Popen(["sh", "-c", "while :; do :; done"])\nx = 1');
    await soon(() => ticksOf('while :; do :; done') > 0);
    await session.freeze();
    expect(session.isFrozen).toBe(true);
    const before = ticksOf('while :; do :; done');
    await sleep(300);
    expect(ticksOf('while :; do :; done')).toBe(before);

    // A call wakes it.
    expect(shown(await run(session, 'x + 1'))).toBe('2');
    expect(session.isFrozen).toBe(false);
    await soon(() => ticksOf('while :; do :; done') > before);
    await session.freeze();
    session.thaw();
    expect(session.isFrozen).toBe(false);
    const freezing = session.freeze();
    expect(shown(await run(session, 'loop.poll() is None'))).toBe('True');
    await freezing;
    expect(session.isFrozen).toBe(false);
    await session.freeze();
    await session.writeFile('woken', Buffer.from('x'));
    expect(session.isFrozen).toBe(false);
    await session.freeze();
    await session.end();
    expect(await session.ended).toBe('ended');
  });

  it('does not count the time for which it is frozen', async () => {
    const session = await start('python');
    const running = run(session, 'import time\nfor _ in range(40): time.sleep(0.01)\n"through"', { timeoutMs: 3_000 });
    await sleep(100);
    await session.freeze();
    await sleep(3_200);
    session.thaw();
    const outcome = await running;
    expect(outcome).toMatchObject({ status: 'succeeded', results: [{ data: "'through'" }] });
    expect(outcome.durationMs).toBeLessThan(3_000);
    await session.end();
  });
});

describe('sessions beside each other', () => {
  it('do not see files and processes of others', async () => {
    const [one, other] = await Promise.all([start('python'), start('javascript')]);
    await one.writeFile('secret', Buffer.from('x'));
    await sh(one, 'sleep 64 & echo > /tmp/secret; echo > /dev/shm/secret');
    expect(await other.listFiles('')).toEqual([]);
    const { stdout } = await sh(other, 'cat /proc/[0-9]*/cmdline | tr "\\0" " "; ls /tmp /dev/shm');
    expect(stdout).not.toContain('sleep 64');
    expect(stdout).not.toContain('secret');
    await Promise.all([one.end(), other.end()]);
  });

  it('end with the process, and take no more calls', async () => {
    const own = new SessionProcesses(isolation);
    const session = await own.start({ id: 'ses_test', language: 'python', limits: LIMITS });
    const running = run(session, 'import time; time.sleep(60)');
    await sleep(50);
    expect(own.count).toBe(1);
    await own.closeAll();
    expect(await running).toMatchObject({ status: 'failed', stateLost: true, error: { name: 'SessionEnded' } });
    expect(own.count).toBe(0);
    await expect(run(session, '1')).rejects.toThrow(SessionEnded);
    await expect(session.readFile('x')).rejects.toThrow(SessionEnded);
    await session.end();
    await session.freeze();
    session.thaw();
    await expect(own.start({ id: 'ses_test', language: 'python', limits: LIMITS })).rejects.toThrow('closed');
  });
});

describe('without cgroups', () => {
  const without = new Isolation({ cgroups: 'off', cpuWeight: 1_000, copiesDirectory: COPIES });
  const own = new SessionProcesses(without);
  afterAll(async () => {
    await own.closeAll();
    await without.close();
  });

  it.each(['python', 'javascript'] as const)('a %s session works, too', async (language) => {
    const session = await own.start({ id: 'ses_test', language, limits: LIMITS });
    await run(session, 'x = 1');
    expect(shown(await run(session, 'x + 1'))).toBe('2');
    expect((await sh(session, 'echo out | cat')).stdout).toBe('out\n');
    await session.freeze();
    expect(shown(await run(session, 'x + 2'))).toBe('3');
  });

  it('ends a session that uses more memory', async () => {
    const session = await own.start({ id: 'ses_test', language: 'python', limits: LIMITS });
    const code = `import subprocess, sys, time
use = "import time; x = bytearray(150_000_000); time.sleep(30)"
all = [subprocess.Popen([sys.executable, "-c", use]) for _ in range(4)]
time.sleep(30)`;
    expect(await run(session, code, { timeoutMs: 60_000 })).toMatchObject({ status: 'out_of_memory', stateLost: true });
    expect(await session.ended).toBe('out_of_memory');
  });
});

async function medianMs(session: SessionProcess): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 200; i++) {
    const begunAt = performance.now();
    await run(session, '1');
    times.push(performance.now() - begunAt);
  }
  return times.sort((one, other) => one - other)[100]!;
}

/** The processor time of the process with this text in its command line. */
function ticksOf(text: string): number {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text)) continue;
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
      return Number(fields[11]) + Number(fields[12]);
    } catch {
      // It has ended since.
    }
  }
  return -1;
}
