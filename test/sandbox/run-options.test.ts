import { as, expectStatus, Make } from '../support/make.js';
import { type Answer, useApp, WITH_SANDBOX } from '../support/test-app.js';

const PATHS = { executions: '/api/v1/sandbox/executions', try: '/api/v1/sandbox/try' } as const;

const app = useApp({ ...WITH_SANDBOX, ANONYMOUS_CALLS_PER_SECOND: '1000', ANONYMOUS_EXECUTIONS_PER_DAY: '1000' });
const make = new Make(app);
let key: string;

beforeAll(async () => {
  key = await make.key(await make.person({ plan: 'pro' }), { scopes: ['sandbox:execute'] });
});

const run = (where: keyof typeof PATHS, body: object): Promise<Answer> =>
  app.post(PATHS[where], body, where === 'executions' ? as(key) : {});
const outcome = async (where: keyof typeof PATHS, body: object): Promise<Record<string, any>> =>
  expectStatus(200, await run(where, body)).body.data as Record<string, any>;

/** What a program of each language sees of its options. */
const SEEN = {
  javascript:
    'console.log(JSON.stringify([process.argv.slice(2), process.env.GREETING, new Date(0).getHours(), ' +
    'Intl.NumberFormat().format(1234.5)]))',
  typescript:
    'const seen: unknown[] = [process.argv.slice(2), process.env.GREETING, new Date(0).getHours(), ' +
    'Intl.NumberFormat().format(1234.5)]; console.log(JSON.stringify(seen))',
  python:
    'import json, locale, os, sys, time\n' +
    'print(json.dumps([sys.argv[1:], os.environ.get("GREETING"), time.localtime(0).tm_hour, os.environ.get("LANG")], ' +
    'ensure_ascii=False, separators=(",", ":")))',
} as const;

describe.each(['executions', 'try'] as const)('the options of a run: sandbox/%s', (where) => {
  it.each([
    ['javascript', '1.234,5'],
    ['typescript', '1.234,5'],
    ['python', 'de_DE.UTF-8'],
  ] as const)('reach a program in %s', async (language, formatted) => {
    const data = await outcome(where, {
      language,
      code: SEEN[language],
      args: ['--verbose', '', 'ä b', '$HOME'],
      env: { GREETING: 'héllo\nworld', EMPTY: '' },
      timezone: 'Asia/Tokyo',
      locale: 'de-DE',
    });
    expect(data).toMatchObject({ status: 'succeeded', stderr: '' });
    expect(JSON.parse(data['stdout'] as string)).toEqual([
      ['--verbose', '', 'ä b', '$HOME'],
      'héllo\nworld',
      9,
      formatted,
    ]);
  });

  it('reach a program whose output is streamed', async () => {
    const options = where === 'executions' ? as(key) : {};
    const { text } = await app.post(
      PATHS[where],
      { language: 'javascript', code: 'console.log(process.argv[2], process.env.A)', args: ['x'], env: { A: 'y' } },
      { ...options, headers: { ...options.headers, accept: 'text/event-stream' } },
    );
    expect(text).toContain('event: stdout\ndata: {"text":"x y\\n"}\n');
  });

  it('are not those of the run before', async () => {
    const options = { args: ['mine'], env: { GREETING: 'mine' }, timezone: 'Asia/Tokyo' };
    for (const language of ['javascript', 'python'] as const) {
      await outcome(where, { language, code: SEEN[language], ...options });
      const { stdout } = await outcome(where, { language, code: SEEN[language] });
      expect((JSON.parse(stdout as string) as unknown[]).slice(0, 3)).toEqual([[], null, 0]);
    }
  });

  it('transform TypeScript as asked', async () => {
    const decorated =
      'const seen = (target: unknown, name?: unknown) => console.log(typeof name);\n' +
      'class A { @seen method() {} }\nvoid A;';
    expect((await outcome(where, { language: 'typescript', code: decorated }))['stdout']).toBe('object\n');
    const legacy = { language: 'typescript', code: decorated, typescript: { experimental_decorators: true } };
    expect((await outcome(where, legacy))['stdout']).toBe('string\n');
    const jsx =
      'const React = { createElement: (...all: unknown[]) => all };\nconsole.log(JSON.stringify(<p id="x">y</p>))';
    const { stdout } = await outcome(where, { language: 'typescript', code: jsx, typescript: { jsx: 'react' } });
    expect(stdout).toBe('["p",{"id":"x"},"y"]\n');
  });

  it.each([
    ['arguments of another type', { args: 'x' }, { path: 'args', code: 'is_array' }],
    ['arguments of null', { args: null }, { path: 'args', code: 'is_array' }],
    ['an argument of another type', { args: [1] }, { path: 'args', code: 'is_arguments' }],
    ['an argument with NUL', { args: ['a\0b'] }, { path: 'args', code: 'is_arguments' }],
    ['half of a surrogate pair', { args: ['\ud800'] }, { path: 'args', code: 'is_arguments' }],
    ['65 arguments', { args: Array<string>(65).fill('x') }, { path: 'args', code: 'array_max_size' }],
    ['arguments over 32 KiB', { args: ['é'.repeat(16_385)] }, { path: 'args', code: 'is_arguments' }],
    ['variables of another type', { env: ['A=1'] }, { path: 'env', code: 'is_object' }],
    ['a variable with "=" in its name', { env: { 'A=B': '1' } }, { path: 'env', code: 'is_variables' }],
    ['a variable without a name', { env: { '': '1' } }, { path: 'env', code: 'is_variables' }],
    ['a variable of another type', { env: { A: 1 } }, { path: 'env', code: 'is_variables' }],
    ['a variable with NUL', { env: { A: '\0' } }, { path: 'env', code: 'is_variables' }],
    [
      '65 variables',
      { env: Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`V${index}`, ''])) },
      { path: 'env', code: 'is_variables' },
    ],
    ['variables over 32 KiB', { env: { A: 'x'.repeat(32_768) } }, { path: 'env', code: 'is_variables' }],
    ['an unknown time zone', { timezone: 'Mars/Olympus' }, { path: 'timezone', code: 'is_time_zone' }],
    ['a time zone that is a path', { timezone: '../../etc/passwd' }, { path: 'timezone', code: 'is_time_zone' }],
    ['an unknown locale', { locale: 'xx-invalid-tag-x' }, { path: 'locale', code: 'is_locale' }],
    ['a locale of another type', { locale: 7 }, { path: 'locale', code: 'is_locale' }],
    ['options that are no object', { typescript: 'jsx' }, { path: 'typescript', code: 'nested_validation' }],
    ['an unknown mode of JSX', { typescript: { jsx: 'vue' } }, { path: 'typescript.jsx', code: 'is_in' }],
    ['an unknown option', { typescript: { strict: true } }, { path: 'typescript.strict', code: 'unknown_field' }],
  ])('are refused with 400 for %s, and the field is named', async (_what, options, fault) => {
    const answer = await run(where, { language: 'javascript', code: 'x', ...options });
    expect(answer.body.error).toMatchObject({ status: 400, type: 'validation_error', code: 'invalid_request' });
    expect(answer.body.error.details).toContainEqual(expect.objectContaining({ in: 'body', ...fault }));
  });
});

const STARTS = {
  javascript:
    "console.log(require('node:child_process').execFileSync('/usr/bin/expr', ['6', '*', '7']).toString().trim())",
  python:
    'import multiprocessing as m\n' +
    'def square(n): return n * n\n' +
    'if __name__ == "__main__":\n  with m.Pool(2) as pool: print(pool.map(square, [6, 7]))',
} as const;

describe('processes of a program', () => {
  it.each([
    ['javascript', '42\n'],
    ['python', '[36, 49]\n'],
  ] as const)('start with a key, in %s', async (language, stdout) => {
    expect(await outcome('executions', { language, code: STARTS[language] })).toMatchObject({
      status: 'succeeded',
      stdout,
      limits: { processes: 64 },
    });
  });

  it.each(['javascript', 'python'] as const)(
    'are refused to anonymous callers, and the error says so, in %s',
    async (language) => {
      const data = await outcome('try', { language, code: STARTS[language] });
      expect(data).toMatchObject({ status: 'failed', stdout: '' });
      expect(data['stderr']).toContain('Processes are forbidden in the anonymous sandbox');
    },
  );

  it('talk to each other at loopback, and reach nothing else', async () => {
    const code =
      "const http = require('node:http');\n" +
      "const server = http.createServer((_, answer) => answer.end('inside')).listen(0, '127.0.0.1', async () => {\n" +
      '  console.log(await (await fetch(`http://localhost:${server.address().port}`)).text());\n' +
      `  const out = fetch('${app.url}/health', { signal: AbortSignal.timeout(1_000) });\n` +
      "  console.log(await out.then(() => 'out', () => 'no'));\n" +
      '  server.close();\n' +
      '});';
    expect(await outcome('executions', { language: 'javascript', code })).toMatchObject({
      status: 'succeeded',
      stdout: 'inside\nno\n',
    });
  });
});

describe('a check of types', () => {
  const check = (code: string, others: object = {}): Promise<Record<string, any>> =>
    outcome('executions', { language: 'typescript', code, check: true, ...others });

  it('lets a program without errors run', async () => {
    const files = [
      { path: 'lib/area.ts', content: 'export const area = (r: number): number => Math.PI * r ** 2;' },
      { path: 'old.js', content: 'exports.untyped = 1;' },
      { path: 'data.json', content: '{"name":"disc"}' },
    ];
    const code =
      "import { readFileSync } from 'node:fs';\n" +
      "import { area } from './lib/area.js';\n" +
      "import data from './data.json' with { type: 'json' };\n" +
      "import old from './old.js';\n" +
      'const name: string = data.name;\n' +
      'await Promise.resolve();\n' +
      'console.log(name, area(1).toFixed(2), typeof old, readFileSync(0).length, process.argv.length, typeof fetch);';
    expect(await check(code, { files })).toMatchObject({
      status: 'succeeded',
      stderr: '',
      stdout: 'disc 3.14 object 0 2 function\n',
    });
  });

  it('refuses a program with errors before it starts, and lists them with their positions', async () => {
    const files = [{ path: 'lib/one.ts', content: '\nexport const one: number = "1";' }];
    const code =
      "console.log('started');\nimport { one } from './lib/one.js';\nconst two: string = one;\nnothing(two);\n";
    const data = await check(code, { files });
    expect(data).toMatchObject({ status: 'failed', stdout: '', exit_code: 1 });
    expect(data['error']).toEqual({
      name: 'TypeCheckError',
      message: expect.stringMatching(/^TS\d+: /),
      line: 3,
      column: 7,
      diagnostics: [
        { file: 'lib/one.ts', line: 2, column: 14, code: 'TS2322', message: expect.stringContaining('not assignable') },
        { file: 'main.ts', line: 3, column: 7, code: 'TS2322', message: expect.stringContaining('not assignable') },
        { file: 'main.ts', line: 4, column: 1, code: 'TS2304', message: "Cannot find name 'nothing'." },
      ],
    });
    expect(data['stderr']).toContain("main.ts(4,1): error TS2304: Cannot find name 'nothing'.\n");
    // It is read again from where it is stored.
    expect((await app.fetch(`${PATHS.executions}/${data['id']}`, as(key))).body.data).toEqual(data);
  });

  it('runs the same program when no check is requested, and for anonymous callers too when it is', async () => {
    const code = 'const n: number = "x" as never as string; console.log(n)';
    const body = { language: 'typescript', code };
    expect((await outcome('try', body))['stdout']).toBe('x\n');
    expect((await outcome('try', { ...body, check: false }))['stdout']).toBe('x\n');
    expect((await outcome('try', { ...body, check: true }))['error']).toMatchObject({
      name: 'TypeCheckError',
      line: 1,
    });
  });

  it('knows JSX, and decorators of both kinds', async () => {
    const jsx = 'const React = { createElement: (...all: unknown[]) => all.length };\nconsole.log(<p id="x">y</p>)';
    expect(await check(jsx)).toMatchObject({ status: 'succeeded', stdout: '3\n' });
    const legacy =
      'function seen(_: object, name: string): void { console.log(name); }\nclass A { @seen method(): void {} }\n' +
      'new A().method();';
    const typescript = { experimental_decorators: true };
    expect(await check(legacy, { typescript })).toMatchObject({ status: 'succeeded', stdout: 'method\n' });
    expect((await check(legacy))['error']).toMatchObject({ name: 'TypeCheckError' });
  });

  it('reports as many of thousands of errors as fit', async () => {
    const name = 'é'.repeat(500);
    const data = await check(Array.from({ length: 80 }, (_, n) => `${name}${n};`).join('\n'));
    const { diagnostics } = data['error'] as { diagnostics: unknown[] };
    expect(data['status']).toBe('failed');
    expect(diagnostics.length).toBeGreaterThan(10);
    expect(diagnostics.length).toBeLessThan(80);
  });

  it('ends like the program when it needs more memory or time than there is', async () => {
    expect(await check('1', { memory_mib: 64 })).toMatchObject({ status: 'out_of_memory' });
    expect(await check('1', { timeout_ms: 100 })).toMatchObject({ status: 'timed_out' });
  });

  it.each([
    ['Python', { language: 'python', check: true }, 'is_checked'],
    ['JavaScript', { language: 'javascript', check: true }, 'is_checked'],
    ['a value of another type', { language: 'typescript', check: 'yes' }, 'is_boolean'],
  ])('is refused with 400 for %s', async (_what, body, code) => {
    const answer = await run('executions', { code: '1', ...body });
    expect(answer.body.error).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(answer.body.error.details).toContainEqual(expect.objectContaining({ in: 'body', path: 'check', code }));
  });
});
