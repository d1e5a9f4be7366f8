import {
  type Language,
  type SandboxLimits,
  type SandboxOutcome,
} from '../../src/modules/sandbox/domain/sandbox-runtime.js';
import { PooledRuntime } from '../../src/modules/sandbox/runtime/pooled-runtime.js';
import { Isolation } from '../../src/platform/isolation/isolation.js';

const LIMITS: SandboxLimits = { timeoutMs: 5_000, memoryBytes: 256 * 1024 * 1024, outputBytes: 1024 * 1024 };

describe('sandbox languages', () => {
  const isolation = new Isolation({
    cgroups: 'auto',
    cpuWeight: 1_000,
    copiesDirectory: '/var/lib/service-platform/runtime',
  });
  const runtime = new PooledRuntime(isolation, { concurrency: 2, limits: LIMITS, forkServer: 'auto' });
  const run = (language: Language, code: string, stdin = ''): Promise<SandboxOutcome> =>
    runtime.run({ id: 'exe_test', language, code, stdin, limits: LIMITS });

  beforeAll(async () => {
    expect(await runtime.probe()).toMatchObject({ available: true });
  });
  afterAll(() => runtime.close());

  it.each([
    [
      'CommonJS',
      'javascript',
      "const path = require('path'); module.exports = 1; " +
        'console.log(path.basename(__filename), require.main === module)',
      'main.js true\n',
    ],
    [
      'an ES module',
      'javascript',
      "import { basename } from 'node:path'; export const a = 1; console.log(basename(import.meta.url))",
      'main.js\n',
    ],
    ['a dynamic import', 'javascript', "import('node:os').then((os) => console.log(typeof os.cpus))", 'function\n'],
    ['top-level await', 'javascript', 'console.log(await Promise.resolve(7))', '7\n'],
    [
      'top-level await, without require as in any ES module',
      'javascript',
      'await 0; console.log(typeof require, typeof globalThis.require)',
      'undefined undefined\n',
    ],
    [
      'decorators and accessor of ECMAScript',
      'typescript',
      'function d(v: unknown, c: DecoratorContext) { console.log(c.kind) }\n' +
        '@d class A { @d accessor x = 1 }\nconsole.log(new A().x)',
      'accessor\nclass\n1\n',
    ],
    [
      'JSX',
      'typescript',
      "const React = { createElement: (...a: any[]) => a.join() };\nconsole.log(<b id='x'>{1 as number}</b>)",
      'b,[object Object],1\n',
    ],
    [
      'only the globals of Node',
      'javascript',
      'console.log(Object.keys(globalThis).join())',
      'global,clearImmediate,setImmediate,clearInterval,clearTimeout,setInterval,setTimeout,queueMicrotask,' +
        'structuredClone,atob,btoa,performance,fetch,crypto,navigator\n',
    ],
    ['a user with a name', 'python', 'import getpass; print(getpass.getuser())', 'sandbox\n'],
    [
      'a server and its client',
      'javascript',
      "const s = require('http').createServer((q, r) => r.end('ok')).listen(0, async () => {\n" +
        "console.log(await (await fetch('http://localhost:' + s.address().port)).text()); s.close() })",
      'ok\n',
    ],
    [
      'the built-in modules',
      'javascript',
      "const { createHash } = require('crypto'); const zlib = require('zlib'); " +
        "const { URL } = require('url'); const assert = require('assert'); " +
        "const { setTimeout: s } = require('timers/promises'); " +
        "s(1).then(() => console.log(createHash('md5').update('').digest('hex'), " +
        "zlib.gunzipSync(zlib.gzipSync('z')).toString()))",
      'd41d8cd98f00b204e9800998ecf8427e z\n',
    ],
    [
      'WebAssembly',
      'javascript',
      'console.log(WebAssembly.validate(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])))',
      'true\n',
    ],
    [
      'Intl and time zones',
      'javascript',
      "console.log(new Date(0).toLocaleString('de-DE', { timeZone: 'Asia/Tokyo' }), 'ß'.localeCompare('t', 'de'))",
      '1.1.1970, 09:00:00 -1\n',
    ],
    [
      'an enum, a const enum and a namespace',
      'typescript',
      'enum A { X = 1, Y }\nconst enum B { Z = "z" }\nnamespace N { export const n = 3 }\nconsole.log(A[2], B.Z, N.n)',
      'Y z 3\n',
    ],
    [
      'parameter properties',
      'typescript',
      'class P { constructor(private readonly a: number, ' +
        'public b = 2) {} sum() { return this.a + this.b } }\nconsole.log(new P(1).sum())',
      '3\n',
    ],
    [
      'types only, and type errors',
      'typescript',
      "import type { X } from 'nowhere';\nimport { type Y } from 'nowhere2';\nlet x!: X;\n" +
        "const n: number = 'text';\nfunction f<T extends object>(t: T) { return t satisfies object }\n" +
        'console.log(n, f({}) as any)',
      'text {}\n',
    ],
    [
      'ES modules and top-level await',
      'typescript',
      "import { readFileSync } from 'node:fs';\nconst a: string = await Promise.resolve('a');\n" +
        'console.log(a, typeof readFileSync)',
      'a function\n',
    ],
    [
      'CommonJS',
      'typescript',
      "import fs = require('fs');\nimport os from 'os';\nconst path = require('path');\n" +
        'console.log(typeof fs.readFileSync, typeof os.cpus, typeof path.join)',
      'function function function\n',
    ],
    [
      'the standard library',
      'python',
      'import json, re, math, collections, itertools, datetime, random, sqlite3, decimal, hashlib, asyncio, ' +
        'dataclasses, typing, statistics, csv, zoneinfo\n' +
        'async def f(): return zoneinfo.ZoneInfo("Asia/Tokyo").key\n' +
        'print(asyncio.run(f()), sqlite3.connect(":memory:").execute("select 1").fetchone())',
      'Asia/Tokyo (1,)\n',
    ],
    [
      '__main__ and its names',
      'python',
      "import sys\nif __name__ == '__main__': print(sys.argv, __file__, " +
        "[n for n in globals() if not n.startswith('__')])",
      "['/tmp/main.py'] /tmp/main.py ['sys']\n",
    ],
    ['exit and quit', 'python', 'print(1)\nexit()\nprint(2)', '1\n'],
    [
      'dataclasses and pickling of one’s own classes',
      'python',
      'import pickle, dataclasses\n@dataclasses.dataclass\nclass A: x: int\nprint(pickle.loads(pickle.dumps(A(1))))',
      'A(x=1)\n',
    ],
  ] as const)('%s, in %s', async (_what, language, code, stdout) => {
    expect(await run(language, code)).toMatchObject({ status: 'succeeded', stdout, stderr: '', exitCode: 0 });
  });

  it.each([
    ['descriptor 0', 'javascript', "process.stdout.write(require('fs').readFileSync(0))"],
    ['/dev/stdin', 'javascript', "process.stdout.write(require('fs').readFileSync('/dev/stdin', 'utf8'))"],
    ['process.stdin', 'javascript', 'process.stdin.pipe(process.stdout)'],
    [
      'for await',
      'typescript',
      "for await (const line of (await import('node:readline')).createInterface({ input: process.stdin })) " +
        'console.log(line as string)',
    ],
    ['sys.stdin', 'python', 'import sys\nfor line in sys.stdin: print(line, end="")'],
    ['input()', 'python', 'print(input())\nprint(input())'],
    ['/dev/stdin', 'python', 'print(open("/dev/stdin").read(), end="")'],
  ] as const)('passes standard input by %s, in %s', async (_how, language, code) => {
    expect(await run(language, code, 'grüß\n日本😀\n')).toMatchObject({
      status: 'succeeded',
      stdout: 'grüß\n日本😀\n',
      stderr: '',
    });
    expect(await run(language, code, '')).toMatchObject({ stdout: '' });
  });

  it.each([
    [
      'javascript',
      "console.log('grüß 日本 😀'); process.stdout.write(Buffer.from([0xff, 0x00]))",
      'grüß 日本 😀\n\ufffd\0',
    ],
    [
      'python',
      "print('grüß 日本 😀', flush=True); import sys; sys.stdout.buffer.write(b'\\xff\\x00')",
      'grüß 日本 😀\n\ufffd\0',
    ],
  ] as const)('returns output as UTF-8 and as bytes, in %s', async (language, code, stdout) => {
    expect(await run(language, code)).toMatchObject({ status: 'succeeded', stdout });
  });

  it.each([
    ['javascript', 'let a = 1;\nlet b = = 3;', { name: 'SyntaxError', line: 2, column: 9 }],
    ['javascript', 'import fs from "node:fs";\nlet b = = 3;', { name: 'SyntaxError', line: 2, column: 9 }],
    ['javascript', 'function f() {\n  return 1;\n', { name: 'SyntaxError', line: 3, column: 1 }],
    ['javascript', 'let a = 1;\nlet a = 2;', { name: 'SyntaxError', line: 2, column: 5 }],
    ['typescript', 'let a: number = 1;\nlet b = = 3;', { name: 'SyntaxError', line: 2, column: 9 }],
    [
      'typescript',
      "const s: string = '日本😀';\nlet b = '日本'; let c = = 3;",
      { name: 'SyntaxError', line: 2, column: 23 },
    ],
    ['typescript', 'let a: number = 1;\nlet a = 2;', { name: 'SyntaxError', line: 2, column: 5 }],
    [
      'typescript',
      'interface A {\n  a: 1\n}\nexport {};\nconst r = /(/;',
      { name: 'SyntaxError', line: 5, column: 11 },
    ],
    ['python', 'x = 1\nprint(x', { name: 'SyntaxError', line: 2, column: 6 }],
    ['python', 'def f():\nreturn 1', { name: 'IndentationError', line: 2, column: 1 }],
  ] as const)('reports the position of a syntax error, in %s: %#', async (language, code, error) => {
    const outcome = await run(language, code);
    expect(outcome).toMatchObject({ status: 'failed', exitCode: 1, error });
    expect(outcome.error!.stack).not.toContain('node:internal');
    expect(outcome.stderr).toContain('Error');
  });

  it.each([
    [
      'javascript',
      'function f() {\n  throw new TypeError("bad");\n}\n\nf()',
      { name: 'TypeError', message: 'bad', line: 2, column: 9 },
      '/tmp/main.js:5:1',
    ],
    ['javascript', 'import "node:fs";\nawait 0;\nnull.x', { name: 'TypeError', line: 3 }, 'main.js:3:6'],
    [
      'javascript',
      '\nsetTimeout(() => {\n  throw new RangeError("later");\n})',
      { name: 'RangeError', line: 3 },
      '/tmp/main.js:3',
    ],
    [
      'javascript',
      '\nPromise.reject(new Error("nobody"))',
      { name: 'Error', message: 'nobody', line: 2 },
      '/tmp/main.js:2',
    ],
    [
      'typescript',
      'interface A {\n  a: 1;\n}\n\nenum B { X }\nfunction f(b: B): never {\n  throw new Error(B[b])\n}\nf(B.X)',
      { name: 'Error', message: 'X', line: 7, column: 9 },
      '/tmp/main.ts:9:1',
    ],
    [
      'python',
      'def f():\n  return 1 / 0\n\nf()',
      { name: 'ZeroDivisionError', message: 'division by zero', line: 2 },
      'File "/tmp/main.py", line 4',
    ],
    ['python', 'class E(Exception): pass\n\nraise E("own")', { name: 'E', message: 'own', line: 3 }, 'line 3'],
  ] as const)(
    'reports an uncaught error with the lines of the code, in %s: %#',
    async (language, code, error, inStack) => {
      const outcome = await run(language, code);
      expect(outcome).toMatchObject({ status: 'failed', exitCode: 1, error });
      expect(outcome.error!.stack).toContain(inStack);
      expect(outcome.stderr).toContain(inStack);
      for (const foreign of ['bootstrap', 'node:internal', '<frozen'])
        expect(outcome.error!.stack).not.toContain(foreign);
      expect(outcome.stderr).not.toContain('bootstrap');
    },
  );

  it('reports a thrown value that is not an error', async () => {
    expect(await run('javascript', 'throw { a: 1 }')).toMatchObject({
      status: 'failed',
      error: { message: '{ a: 1 }' },
    });
  });

  it('runs a custom excepthook', async () => {
    const outcome = await run('python', 'import sys\nsys.excepthook = lambda *a: print("mine", a[0].__name__)\n1/0');
    expect(outcome).toMatchObject({
      status: 'failed',
      exitCode: 1,
      stdout: 'mine ZeroDivisionError\n',
      stderr: '',
      error: { name: 'ZeroDivisionError' },
    });
  });

  it('survives TypeScript that overflows the stack of the compiler', async () => {
    expect(await run('typescript', `${'('.repeat(60_000)}1`)).toMatchObject({ status: 'failed' });
    expect(await run('typescript', 'console.log(1 as number)')).toMatchObject({ status: 'succeeded', stdout: '1\n' });
  });
});
