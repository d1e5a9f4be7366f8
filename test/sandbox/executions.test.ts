import { setTimeout as sleep } from 'node:timers/promises';
import { ExecutionSweeper } from '../../src/modules/sandbox/executions/execution-sweeper.js';
import { LANGUAGES, SandboxRuntime } from '../../src/modules/sandbox/domain/sandbox-runtime.js';
import { SandboxMetrics } from '../../src/modules/sandbox/metrics/sandbox.metrics.js';
import { LocalJobs } from '../../src/platform/queues/local-jobs.js';
import { Queues } from '../../src/platform/queues/queues.js';
import { as, expectStatus, Make, type Person } from '../support/make.js';
import { onThisMachine } from '../support/patience.js';
import { type Answer, type CallOptions, eventually, useApp, WITH_SANDBOX } from '../support/test-app.js';

const PATH = '/api/v1/sandbox/executions';
const HELLO = {
  typescript: 'const x: number = 1 + 2; console.log(x);',
  javascript: 'console.log(1 + 2)',
  python: 'print(1 + 2)',
};
const HELLO_PYTHON = { language: 'python', code: HELLO.python };
const SLEEPS = { language: 'python', code: 'import time\nprint("began", flush=True)\ntime.sleep(20)' };
const RANDOM = { language: 'python', code: 'import random; print(random.random())' };
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const app = useApp({ ...WITH_SANDBOX, SANDBOX_CONCURRENCY: '2' });
const make = new Make(app);
let person: Person;
let key: string;

beforeAll(async () => {
  // Waiting for states takes more calls a second than the smallest plan has.
  person = await make.person({ plan: 'pro' });
  key = await make.key(person, { scopes: ['sandbox:execute'] });
});

const execute = (body: object, options?: CallOptions, by = key): Promise<Answer> =>
  app.post(PATH, body, as(by, options));
const read = (id: string, by = key): Promise<Answer> => app.fetch(`${PATH}/${id}`, as(by));
const cancel = (id: string, options?: CallOptions, by = key): Promise<Answer> =>
  app.call('POST', `${PATH}/${id}/cancel`, as(by, options));
const start = async (body: object, by = key): Promise<string> =>
  expectStatus(202, await execute({ ...body, wait: false }, {}, by)).body.data.id as string;
const running = (): number => app.get(SandboxMetrics).running;

/** The one that is queued, once there is one. */
async function queued(): Promise<string> {
  let found: { id: string } | undefined;
  await eventually(async () => {
    found = (await app.fetch(PATH, as(key))).body.data.find(({ status }: { status: string }) => status === 'queued');
    return found !== undefined;
  }, 'one is queued');
  return found!.id;
}

/** The queue, which no worker takes jobs from. */
async function pausedQueue(): Promise<ReturnType<Queues['named']>> {
  handedOver = jest.spyOn(app.get(LocalJobs), 'handOver').mockReturnValue(null);
  const queue = app.get(Queues).named('sandbox');
  await queue.pause();
  return queue;
}
let handedOver: jest.SpyInstance;

async function ended(id: string, by = key): Promise<Record<string, unknown>> {
  let data: Record<string, unknown> = {};
  await eventually(async () => {
    data = expectStatus(200, await read(id, by)).body.data as Record<string, unknown>;
    return data['finished_at'] !== undefined;
  }, `${id} is over`);
  return data;
}

describe('POST /api/v1/sandbox/executions', () => {
  it.each(LANGUAGES)('runs %s and returns the same when it is read again', async (language) => {
    const answer = await execute({ language, code: HELLO[language] });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      data: {
        id: expect.stringMatching(/^exe_[0-9a-z]{26}$/),
        language,
        status: 'succeeded',
        stdout: '3\n',
        stderr: '',
        exit_code: 0,
        signal: null,
        queue_ms: expect.any(Number),
        duration_ms: expect.any(Number),
        cpu_ms: expect.any(Number),
        memory_peak_bytes: expect.any(Number),
        truncated: { stdout: false, stderr: false },
        runtime: { name: language === 'python' ? 'python' : 'node', version: expect.stringMatching(/^\d+\.\d+\.\d+$/) },
        cost: expect.stringMatching(/^0\.0000\d+$/),
        limits: { timeout_ms: 30_000, memory_bytes: 268_435_456, output_bytes: 1_048_576, processes: 64 },
        created_at: expect.stringMatching(RFC_3339),
        started_at: expect.stringMatching(RFC_3339),
        finished_at: expect.stringMatching(RFC_3339),
      },
      meta: { request_id: answer.headers.get('x-request-id') },
    });
    expect((await read(answer.body.data.id)).body.data).toEqual(answer.body.data);
  });

  it('returns the error and its position for code that fails, also when it is read again', async () => {
    const answer = await execute({ language: 'python', code: 'x = 1\nraise ValueError("no\\0\\ud800")' });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({ status: 'failed', exit_code: 1, error: { name: 'ValueError', line: 2 } });
    expect((await read(answer.body.data.id)).body.data).toEqual(answer.body.data);
  });

  it('returns every byte that text can hold: NUL, other scripts, and U+FFFD for invalid bytes', async () => {
    const answer = await execute({
      language: 'python',
      code: 'import sys; sys.stdout.buffer.write("a\\0é😀".encode() + b"\\xff")',
    });
    expect(answer.body.data.stdout).toBe('a\0é😀\ufffd');
  });

  it('passes the standard input to the program', async () => {
    expect((await execute({ language: 'python', code: 'print(input()[::-1])', stdin: 'abc\n' })).body.data.stdout).toBe(
      'cba\n',
    );
  });

  it('stores and logs neither code nor stdin nor files', async () => {
    const answer = await execute({
      language: 'python',
      code: 'pass # canary-code',
      stdin: 'canary-input',
      files: [{ path: 'canary-name', content: 'canary-file' }],
    });
    const [row] = await make.sql('SELECT sandbox_executions::text AS all FROM sandbox_executions WHERE id = $1', [
      answer.body.data.id,
    ]);
    expect(row!['all']).not.toContain('canary');
    expect(JSON.stringify(app.log())).not.toContain('canary');
  });

  it.each([
    ['an unknown language', { language: 'ruby' }, { path: 'language', code: 'is_in' }],
    ['empty code', { code: '' }, { path: 'code', code: 'min_length' }],
    ['no time at all', { timeout_ms: 0 }, { path: 'timeout_ms', code: 'min' }],
    ['too little memory', { memory_mib: 63 }, { path: 'memory_mib', code: 'min' }],
    ['half a mebibyte', { memory_mib: 64.5 }, { path: 'memory_mib', code: 'is_int' }],
    ['a wait of another type', { wait: 'no' }, { path: 'wait', code: 'is_boolean' }],
    ['a wait of null', { wait: null }, { path: 'wait', code: 'is_boolean' }],
    ['files of null', { files: null }, { path: 'files' }],
    ['a time of null', { timeout_ms: null }, { path: 'timeout_ms', code: 'is_int' }],
    ['a file of null', { files: [null] }, { path: 'files[0]' }],
    ['an unknown field', { networks: true }, { path: 'networks', code: 'unknown_field' }],
    ['files of another type', { files: 'x' }, { path: 'files' }],
    ['a file upwards', { files: [{ path: '../x', content: '' }] }, { path: 'files[0].path', code: 'is_file_path' }],
    [
      'an absolute file',
      { files: [{ path: '/etc/passwd', content: '' }] },
      { path: 'files[0].path', code: 'is_file_path' },
    ],
    [
      'the program as a file',
      {
        files: [
          { path: 'a', content: '' },
          { path: 'main.py', content: '' },
        ],
      },
      { path: 'files[1].path', code: 'is_file_path' },
    ],
    ['a file without content', { files: [{ path: 'x' }] }, { path: 'files[0].content', code: 'is_string' }],
    [
      'two files of one path',
      {
        files: [
          { path: 'x', content: '1' },
          { path: 'x', content: '2' },
        ],
      },
      { path: 'files', code: 'can_coexist' },
    ],
    [
      '21 files',
      { files: Array.from({ length: 21 }, (_, index) => ({ path: `f${index}`, content: '' })) },
      { path: 'files', code: 'array_max_size' },
    ],
    [
      'files over 256 KiB together',
      { files: ['a', 'b'].map((path) => ({ path, content: 'é'.repeat(65_537) })) },
      { path: 'files', code: 'max_bytes_together' },
    ],
  ])('returns 400 for %s and names the field', async (_what, body, fault) => {
    const answer = await execute({ language: 'python', code: 'x', ...body });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ type: 'validation_error', code: 'invalid_request' });
    expect(answer.body.error.details).toEqual([expect.objectContaining({ in: 'body', ...fault })]);
  });

  it('returns 401 without a key and for a session, and 403 without the scope', async () => {
    const body = HELLO_PYTHON;
    expect((await app.post(PATH, body)).body.error).toMatchObject({ status: 401, code: 'missing_api_key' });
    expect((await execute(body, {}, person.sessionToken)).body.error).toMatchObject({
      status: 401,
      code: 'session_token_not_allowed',
    });
    const weak = await make.key(person, { scopes: ['projects:read'] });
    expect((await execute(body, {}, weak)).body.error).toMatchObject({
      status: 403,
      code: 'insufficient_scopes',
      details: { missing_scopes: ['sandbox:execute'] },
    });
  });

  it('returns 403 to a viewer', async () => {
    const org = await make.org(person, { plan: 'builder' });
    const viewer = await make.person();
    await make.member(org, viewer, 'viewer');
    const there = { headers: { 'x-service-org': org.slug } };
    const id = expectStatus(200, await execute(HELLO_PYTHON, there, await make.key(person))).body.data.id as string;
    const theirs = await make.key(viewer, { scopes: ['sandbox:execute'] });
    const answers = [await execute(HELLO_PYTHON, there, theirs), await read(id, theirs), await cancel(id, {}, theirs)];
    expect(answers.map(({ body }) => body.error.code as string)).toEqual(Array(3).fill('insufficient_scopes'));
  });
});

describe('files of an execution', () => {
  const stdoutOf = async (language: string, code: string, files: object[]): Promise<unknown> => {
    const { data } = expectStatus(200, await execute({ language, code, files })).body;
    return data.status === 'succeeded' ? data.stdout : data;
  };

  it('can be imported and read by Python', async () => {
    const files = [
      { path: 'lib/greet.py', content: 'def hello(name): return f"Hello, {name}"' },
      { path: 'data.txt', content: 'wörld\n12 34\n' },
      { path: 'empty', content: '' },
    ];
    expect(
      await stdoutOf(
        'python',
        'from lib.greet import hello\nprint(hello(open("data.txt").readline().strip()), len(open("empty").read()))',
        files,
      ),
    ).toBe('Hello, wörld 0\n');
  });

  it('can be imported, required and read by JavaScript', async () => {
    const files = [
      { path: 'lib.js', content: 'export const x = 1;' },
      { path: 'old.cjs', content: 'module.exports = 2' },
      { path: 'a/b/data.json', content: '{"y":3}' },
    ];
    expect(
      await stdoutOf(
        'javascript',
        "import { x } from './lib.js'; import fs from 'node:fs'; " +
          "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url); " +
          "console.log(x, require('./old.cjs'), JSON.parse(fs.readFileSync('a/b/data.json')).y)",
        files,
      ),
    ).toBe('1 2 3\n');
  });

  it('can be TypeScript, and run once however they are imported', async () => {
    const files = [
      {
        path: 'kinds.ts',
        content: 'console.log("loaded");\nexport enum Kind { One = 1, Two }\nexport type Name = string;',
      },
      { path: 'deep/index.ts', content: "import { Kind } from '../kinds';\nexport const two: number = Kind.Two;" },
    ];
    const code =
      "import { Kind, type Name } from './kinds.ts'; import { Kind as Same } from './kinds.js'; " +
      "import { two } from './deep';\nconst name: Name = 'n'; console.log(Kind === Same, two, name);";
    expect(await stdoutOf('typescript', code, files)).toBe('loaded\ntrue 2 n\n');
  });

  it('are named in the position of an error', async () => {
    const files = [
      {
        path: 'lib.ts',
        content: 'interface Long {\n  x: 1\n}\nexport function fail(): never {\n  throw new Error("no");\n}',
      },
    ];
    const { data } = (await execute({ language: 'typescript', code: "import { fail } from './lib';\nfail();", files }))
      .body;
    expect(data).toMatchObject({
      status: 'failed',
      error: { name: 'Error', message: 'no', line: 2, stack: expect.stringContaining('/tmp/lib.ts:5') },
    });
    const broken = (
      await execute({
        language: 'typescript',
        code: "import './lib';",
        files: [{ path: 'lib.ts', content: 'let = ;' }],
      })
    ).body;
    expect(broken.data).toMatchObject({
      status: 'failed',
      error: { name: 'SyntaxError', message: expect.stringContaining('lib.ts') },
    });
  });

  it('are deleted after the run', async () => {
    await execute({ language: 'python', code: 'pass', files: [{ path: 'left.txt', content: 'x' }] });
    expect((await execute({ language: 'python', code: 'import os; print(os.listdir("."))' })).body.data.stdout).toBe(
      "['main.py']\n",
    );
  });
});

describe('plan limits of the sandbox', () => {
  it('return 400 with the limit and the plan that allows more time or memory', async () => {
    const free = await make.key(await make.person());
    const answer = await execute(
      { language: 'python', code: 'print(1)', timeout_ms: 60_001, memory_mib: 257 },
      {},
      free,
    );
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({
      code: 'invalid_request',
      hint: 'Upgrade to Pro: it allows timeout_ms up to 120000 and memory_mib up to 1024.',
      details: [
        { path: 'timeout_ms', in: 'body', code: 'max', expected: { max: 30_000 }, received: 60_001 },
        { path: 'memory_mib', in: 'body', code: 'max', expected: { max: 256 }, received: 257 },
      ],
    });
  });

  it('allow more on a larger plan', async () => {
    const builder = await make.person({ plan: 'builder' });
    const theirs = await make.key(builder);
    const fill = { language: 'python', code: 'x = bytearray(300 * 1048576)\nprint(len(x))' };
    expect((await execute(fill, {}, theirs)).body.data.status).toBe('out_of_memory');
    const { data } = (await execute({ ...fill, memory_mib: 512, timeout_ms: 60_000 }, {}, theirs)).body;
    expect(data).toMatchObject({
      status: 'succeeded',
      stdout: '314572800\n',
      limits: { timeout_ms: 60_000, memory_bytes: 536_870_912 },
    });
    expect((await execute({ ...fill, memory_mib: 513 }, {}, theirs)).status).toBe(400);
  });

  it('allow less, down to the minimum of each language', async () => {
    const slow = (await execute({ ...SLEEPS, timeout_ms: 100 })).body.data;
    expect([slow.status, slow.stdout]).toEqual(['timed_out', 'began\n']);
    expect(slow.duration_ms).toBeLessThan(onThisMachine(1_000));
    for (const language of LANGUAGES) {
      expect((await execute({ language, code: HELLO[language], memory_mib: 64 })).body.data).toMatchObject({
        status: 'succeeded',
        stdout: '3\n',
      });
    }
  });

  it('return 429 above the concurrency of the organization, across its keys', async () => {
    const busy = await make.person();
    const [one, other] = [await make.key(busy), await make.key(busy)];
    const ids = [await start(SLEEPS, one), await start(SLEEPS, other)];

    const refused = await execute(HELLO_PYTHON, {}, one);
    expect(refused.status).toBe(429);
    expect(refused.body.error).toMatchObject({
      code: 'concurrency_limit_exceeded',
      retry_after: 1,
      details: { policy: 'sandbox_concurrency', limit: 2 },
    });
    expect((await execute(HELLO_PYTHON, {}, one)).headers.get('retry-after')).toBe('1');

    for (const id of ids) expectStatus(200, await cancel(id, {}, one));
    await eventually(async () => (await execute(HELLO_PYTHON, {}, one)).status === 200, 'the places are free again');
  });
});

describe('wait: false', () => {
  it('returns 202 at once, and the result once the code has run', async () => {
    const answer = await execute({
      language: 'python',
      code: 'import time; time.sleep(0.3); print("done")',
      wait: false,
    });
    expect(answer.status).toBe(202);
    expect(answer.body.data).toEqual({
      id: expect.stringMatching(/^exe_/),
      language: 'python',
      status: 'queued',
      limits: { timeout_ms: 30_000, memory_bytes: 268_435_456, output_bytes: 1_048_576, processes: 64 },
      created_at: expect.stringMatching(RFC_3339),
    });
    await eventually(async () => (await read(answer.body.data.id)).body.data.status === 'running', 'it runs');
    expect(await ended(answer.body.data.id)).toMatchObject({ status: 'succeeded', stdout: 'done\n', exit_code: 0 });
  });

  it('survives the process that accepted the request', async () => {
    const queue = app.get(Queues).named('sandbox');
    await queue.pause();
    const other = await app.another();
    const body = { language: 'python', code: 'print("done")', wait: false };
    const id = expectStatus(202, await other.post(PATH, body, as(key)).finally(() => other.stop())).body.data
      .id as string;
    expect((await read(id)).body.data.status).toBe('queued');
    await queue.resume();
    expect(await ended(id)).toMatchObject({ status: 'succeeded', stdout: 'done\n' });
  });

  it('leaves no code in Redis afterwards', async () => {
    const id = await start(HELLO_PYTHON);
    await ended(id);
    await eventually(async () => (await app.get(Queues).named('sandbox').getJob(id)) === undefined, 'the job is gone');
  });
});

describe('POST /api/v1/sandbox/executions/:execution_id/cancel', () => {
  it('ends a running execution', async () => {
    const id = await start(SLEEPS);
    await eventually(() => running() === 1, 'it runs');
    const answer = await cancel(id);
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({ id, status: 'cancelled', finished_at: expect.stringMatching(RFC_3339) });
    expect(answer.body.data).not.toHaveProperty('stdout');
    await eventually(() => running() === 0, 'the run has been ended', 2_000);
    expect((await read(id)).body.data).toEqual(answer.body.data);
    expect(app.log().filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('ends an execution on the worker of another process', async () => {
    const other = await app.another();
    try {
      await eventually(
        async () => {
          const id = await start(SLEEPS);
          await eventually(() => running() + other.get(SandboxMetrics).running === 1, 'it runs');
          const isThere = other.get(SandboxMetrics).running === 1;
          expectStatus(200, await cancel(id));
          await eventually(() => running() + other.get(SandboxMetrics).running === 0, 'the run has been ended', 2_000);
          return isThere;
        },
        'the other one had it',
        60_000,
      );
    } finally {
      await other.stop();
    }
  }, 90_000);

  it('answers the caller who waits for the execution', async () => {
    const call = execute(SLEEPS);
    await eventually(() => running() === 1, 'it runs');
    const [{ id }] = (await app.fetch(PATH, as(key))).body.data;
    expectStatus(200, await cancel(id));
    const answer = await call;
    expect([answer.status, answer.body.data.id, answer.body.data.status]).toEqual([200, id, 'cancelled']);
  });

  it('removes a queued execution, and answers the caller who waits for it', async () => {
    const queue = await pausedQueue();
    try {
      const call = execute({ language: 'python', code: 'print("never")' });
      const id = await queued();
      expect((await cancel(id)).body.data.status).toBe('cancelled');
      const answer = await call;
      expect([answer.status, answer.body.data.status]).toEqual([200, 'cancelled']);
      expect(await queue.getJob(id)).toBeUndefined();
    } finally {
      handedOver.mockRestore();
      await queue.resume();
    }
  });

  it('returns 409 when the execution is over', async () => {
    const before = (await execute(HELLO_PYTHON)).body.data;
    const answer = await cancel(before.id);
    expect(answer.status).toBe(409);
    expect(answer.body.error).toMatchObject({
      type: 'conflict_error',
      code: 'execution_already_over',
      details: { status: 'succeeded' },
    });
    expect((await read(before.id)).body.data).toEqual(before);
  });

  it('cancels nothing in a dry run', async () => {
    const id = await start(SLEEPS);
    const answer = await cancel(id, { headers: { 'dry-run': 'true' } });
    expect(answer.body).toMatchObject({ data: { id, status: 'cancelled' }, meta: { dry_run: true } });
    expect((await read(id)).body.data.status).not.toBe('cancelled');
    await cancel(id);
    expect((await cancel(id, { headers: { 'dry-run': 'true' } })).status).toBe(409);
  });
});

describe('a caller who disconnects', () => {
  it('cancels its queued execution', async () => {
    const queue = await pausedQueue();
    try {
      const caller = new AbortController();
      const call = execute(HELLO_PYTHON, { signal: caller.signal }).catch(() => 'hung up');
      const id = await queued();
      await eventually(async () => (await queue.getJob(id)) !== undefined, 'its job is there');
      caller.abort();
      expect(await call).toBe('hung up');
      await eventually(async () => (await read(id)).body.data.status === 'cancelled', 'it is cancelled');
      expect(await queue.getJob(id)).toBeUndefined();
    } finally {
      handedOver.mockRestore();
      await queue.resume();
    }
  });

  it('cancels its running execution and frees the slot', async () => {
    const caller = new AbortController();
    const call = execute(SLEEPS, { signal: caller.signal }).catch(() => 'hung up');
    await eventually(() => running() === 1, 'the run is under way');
    caller.abort();
    expect(await call).toBe('hung up');
    await eventually(() => running() === 0, 'the run has been ended', 2_000);
    let newest: { status?: string } = {};
    await eventually(async () => {
      [newest] = (await app.fetch(PATH, as(key))).body.data;
      return newest.status !== 'running';
    }, 'its end is written');
    expect(newest).toMatchObject({ status: 'cancelled' });
  });
});

describe('Dry-Run', () => {
  const rehearse = (body: object, by = key): Promise<Answer> => execute(body, { headers: { 'dry-run': 'true' } }, by);

  it('returns the limits, and runs and stores nothing', async () => {
    const newest = async (): Promise<unknown> => (await app.fetch(`${PATH}?limit=1`, as(key))).body.data;
    const before = await newest();
    const answer = await rehearse({ language: 'python', code: 'print(1)', timeout_ms: 5_000, wait: false });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      data: {
        language: 'python',
        limits: { timeout_ms: 5_000, memory_bytes: 268_435_456, output_bytes: 1_048_576, processes: 64 },
        max_cost: '0.000138889',
      },
      meta: { dry_run: true, request_id: expect.any(String) },
    });
    expect(await newest()).toEqual(before);
  });

  it('returns the errors of a real request', async () => {
    expect((await rehearse({ language: 'ruby', code: 'x' })).status).toBe(400);
    expect((await rehearse({ language: 'python', code: 'x', memory_mib: 1_025 })).status).toBe(400);
    expect(
      (await rehearse({ language: 'python', code: 'x' }, await make.key(person, { scopes: ['projects:read'] }))).status,
    ).toBe(403);
  });
});

describe('Idempotency-Key', () => {
  it('runs the code once for repeated requests', async () => {
    const options = { headers: { 'idempotency-key': 'once' } };
    const [first, second] = [await execute(RANDOM, options), await execute(RANDOM, options)];
    expect(first.body.data.stdout).toMatch(/^0\.\d+/);
    expect(second.body.data).toEqual(first.body.data);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect((await execute(RANDOM)).body.data.stdout).not.toBe(first.body.data.stdout);
    expect((await execute({ ...RANDOM, stdin: 'other' }, options)).body.error.code).toBe('idempotency_mismatch');
  });

  it('queues once with wait: false and returns 202 again', async () => {
    const options = { headers: { 'idempotency-key': 'queued-once' } };
    const [first, second] = [
      await execute({ ...RANDOM, wait: false }, options),
      await execute({ ...RANDOM, wait: false }, options),
    ];
    expect([first.status, second.status]).toEqual([202, 202]);
    expect(second.body.data.id).toBe(first.body.data.id);
    await ended(first.body.data.id);
  });
});

describe('GET /api/v1/sandbox/executions', () => {
  it('lists the executions of the organization newest first, without output, in pages', async () => {
    const owner = await make.person();
    const theirs = await make.key(owner);
    const ids: string[] = [];
    for (const code of ['print(1)', 'print(2)', 'raise ValueError'])
      ids.unshift((await execute({ language: 'python', code }, {}, theirs)).body.data.id as string);

    const first = expectStatus(200, await app.fetch(`${PATH}?limit=2`, as(theirs))).body;
    expect(first.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2));
    expect(first.meta).toMatchObject({ has_more: true, next_cursor: expect.any(String) });
    const { stdout, stderr, error, ...rest } = (await read(ids[0]!, theirs)).body.data;
    expect([stdout, typeof stderr, error.name]).toEqual(['', 'string', 'ValueError']);
    expect(first.data[0]).toEqual(rest);

    const second = (await app.fetch(`${PATH}?limit=2&cursor=${first.meta.next_cursor as string}`, as(theirs))).body;
    expect(second.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(2));
    expect(second.meta).not.toHaveProperty('next_cursor');
  });

  it('uses the organization that the request names', async () => {
    const org = await make.org(person, { plan: 'builder' });
    const there = { headers: { 'x-service-org': org.slug } };
    const wide = await make.key(person);
    const id = expectStatus(200, await execute(HELLO_PYTHON, there, wide)).body.data.id as string;
    expect((await app.fetch(PATH, as(wide, there))).body.data.map((each: { id: string }) => each.id)).toEqual([id]);
    expect((await app.fetch(PATH, as(key))).body.data.map((each: { id: string }) => each.id)).not.toContain(id);
    // Its own organization is known by the execution.
    expect((await read(id, wide)).status).toBe(200);
  });
});

describe('an execution of another organization', () => {
  const masked = ({ status, text, headers }: Answer): unknown => [
    status,
    text.replace(headers.get('x-request-id')!, 'req'),
  ];

  it('returns the same 404 as one that does not exist', async () => {
    const outsider = await make.key(await make.person());
    const id = await start(SLEEPS);
    const absent = 'exe_01jd3m8yeqf5rb0xkq5ym8s6tn';
    const nothing = masked(await read(absent, outsider));
    expect(nothing).toEqual([404, expect.stringContaining('"execution_not_found"')]);
    expect(masked(await read(id, outsider))).toEqual(nothing);
    expect(masked(await read('x', outsider))).toEqual(nothing);
    expect(masked(await cancel(id, {}, outsider))).toEqual(masked(await cancel(absent, {}, outsider)));
    expect((await read(id)).body.data.status).not.toBe('cancelled');
    await cancel(id);
  });
});

describe('when the platform fails a run', () => {
  it('returns 503 and keeps the execution as lost', async () => {
    const broken = jest.spyOn(app.get(SandboxRuntime), 'run').mockRejectedValue(new Error('canary: the cause'));
    const answer = await execute(HELLO_PYTHON);
    broken.mockRestore();
    expect(answer.status).toBe(503);
    expect(answer.body.error).toMatchObject({ code: 'sandbox_unavailable' });
    expect(answer.text).not.toContain('canary');
    expect((await app.fetch(PATH, as(key))).body.data[0]).toMatchObject({ status: 'lost' });
    expectStatus(200, await execute(HELLO_PYTHON));
  });

  it('marks the execution of a dead worker as lost, frees its slot and ignores late results', async () => {
    let end: (outcome: never) => void = () => undefined;
    const silent = jest.spyOn(app.get(SandboxRuntime), 'run').mockReturnValue(
      new Promise((resolve) => {
        end = resolve;
      }),
    );
    const owner = await make.person();
    const theirs = await make.key(owner);
    const id = await start(HELLO_PYTHON, theirs);
    await eventually(async () => (await read(id, theirs)).body.data.status === 'running', 'a worker has it');
    await app.get(ExecutionSweeper).giveUpOverdue();
    expect((await read(id, theirs)).body.data.status).toBe('running');

    await make.sql("UPDATE sandbox_executions SET gives_up_at = now() - interval '1 second' WHERE id = $1", [id]);
    await app.get(ExecutionSweeper).giveUpOverdue();
    silent.mockRestore();
    const lost = (await read(id, theirs)).body.data;
    expect(lost).toMatchObject({
      status: 'lost',
      started_at: expect.stringMatching(RFC_3339),
      finished_at: expect.stringMatching(RFC_3339),
    });
    expect((await cancel(id, {}, theirs)).body.error).toMatchObject({
      code: 'execution_already_over',
      details: { status: 'lost' },
    });

    const held = [await start(SLEEPS, theirs), await start(SLEEPS, theirs)];
    for (const each of held) await cancel(each, {}, theirs);
    end({
      status: 'succeeded',
      stdout: '1',
      stderr: '',
      exitCode: 0,
      signal: null,
      durationMs: 1,
      cpuMs: 1,
      memoryPeakBytes: 1,
      truncated: { stdout: false, stderr: false },
      runtime: { name: 'x', version: '1' },
    } as never);
    await sleep(200);
    expect((await read(id, theirs)).body.data).toEqual(lost);
  });

  it('deletes executions after 30 days, and not earlier', async () => {
    const [old, young] = [
      (await execute({ language: 'python', code: '1' })).body.data.id,
      (await execute({ language: 'python', code: '1' })).body.data.id,
    ];
    await make.sql("UPDATE sandbox_executions SET created_at = now() - interval '30 days 1 minute' WHERE id = $1", [
      old,
    ]);
    await make.sql("UPDATE sandbox_executions SET created_at = now() - interval '29 days 23 hours' WHERE id = $1", [
      young,
    ]);
    await app.runSchedule('old-executions');
    expect([(await read(old)).status, (await read(young)).status]).toEqual([404, 200]);
  });
});

describe('GET /api/v1/sandbox/limits', () => {
  const limits = (by: string | undefined, options?: CallOptions): Promise<Answer> =>
    app.fetch('/api/v1/sandbox/limits', by === undefined ? options : as(by, options));

  it('returns what the plan of the caller allows, and the calls left', async () => {
    const free = await make.key(await make.person());
    const { data } = expectStatus(200, await limits(free)).body;
    expect(data).toEqual({
      plan: 'free',
      timeout_ms: { default: 30_000, max: 30_000 },
      memory_mib: { default: 256, min: 64, max: 256 },
      output_bytes: 1_048_576,
      processes: 64,
      concurrency: 2,
      artifact_bytes: 20_971_520,
      network: false,
      sessions: { count: 1, max_minutes: 30 },
      calls: { limit: 5_000, remaining: expect.any(Number), resets_at: expect.stringMatching(/T00:00:00\.000Z$/) },
    });
    const next = expectStatus(200, await limits(free)).body.data.calls.remaining;
    expect(next).toBe(data.calls.remaining - 1);
    expect(expectStatus(200, await limits(key)).body.data).toMatchObject({
      plan: 'pro',
      timeout_ms: { default: 30_000, max: 120_000 },
      memory_mib: { default: 256, max: 1_024 },
      concurrency: 32,
      artifact_bytes: 104_857_600,
      network: true,
      sessions: { count: 20, max_minutes: 720 },
    });
    const unlimited = await make.key(await make.person({ plan: 'enterprise' }));
    expect(expectStatus(200, await limits(unlimited)).body.data.calls).toMatchObject({ limit: null, remaining: null });
  });

  it('returns 401 without a key, and 403 without the scope or for another organization', async () => {
    expect((await limits(undefined)).body.error.code).toBe('missing_api_key');
    const reader = await make.key(person, { scopes: ['projects:read'] });
    expect((await limits(reader)).body.error.code).toBe('insufficient_scopes');
    const other = (await make.person()).organization.id;
    const refused = await limits(key, { headers: { 'x-service-org': other } });
    expect(refused.status).toBe(403);
  });
});
