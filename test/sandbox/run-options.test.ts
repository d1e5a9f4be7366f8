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
