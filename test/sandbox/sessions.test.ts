import { EventStream } from '../support/event-stream.js';
import { as, expectStatus, Make, type Person } from '../support/make.js';
import { onThisMachine } from '../support/patience.js';
import { type Answer, type CallOptions, eventually, useApp, WITH_SANDBOX } from '../support/test-app.js';

jest.setTimeout(onThisMachine(60_000));

const PATH = '/api/v1/sandbox/sessions';
const EXECUTIONS = '/api/v1/sandbox/executions';
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const UNKNOWN = 'sbx_01jd3m8yeqf5rb0xkq5ym8s6tn';

const app = useApp({
  ...WITH_SANDBOX,
  SANDBOX_CONCURRENCY: '2',
  SANDBOX_SESSIONS: '3',
  SANDBOX_SESSIONS_SHARE_PERCENT: '100',
});
const make = new Make(app);
let person: Person;
let key: string;

beforeAll(async () => {
  // Waiting for states takes more calls a second than the smallest plan has.
  person = await make.person({ plan: 'pro' });
  key = await make.key(person, { scopes: ['sandbox:execute'] });
});

const create = (body: object = {}, options?: CallOptions, by = key): Promise<Answer> =>
  app.post(PATH, { language: 'python', ...body }, as(by, options));
const started = async (body?: object, by = key): Promise<string> =>
  expectStatus(201, await create(body, {}, by)).body.data.id as string;
const read = async (id: string): Promise<any> => expectStatus(200, await app.fetch(`${PATH}/${id}`, as(key))).body.data;
const run = (id: string, code: string, more: object = {}, options?: CallOptions): Promise<Answer> =>
  app.post(`${PATH}/${id}/runs`, { code, ...more }, as(key, options));
const shell = (id: string, command: string, more: object = {}): Promise<Answer> =>
  app.post(`${PATH}/${id}/shell`, { command, ...more }, as(key));
const end = (id: string, options?: CallOptions, by = key): Promise<Answer> =>
  app.call('DELETE', `${PATH}/${id}`, as(by, options));
const freeze = (id: string): Promise<Answer> => app.call('POST', `${PATH}/${id}/freeze`, as(key));
const printed = async (id: string, code: string): Promise<string> =>
  expectStatus(200, await run(id, code)).body.data.stdout as string;
const list = async (query = ''): Promise<{ id: string; status: string; ended_at?: string }[]> =>
  expectStatus(200, await app.fetch(`${PATH}?limit=100${query}`, as(key))).body.data;
const newest = async (): Promise<{ id: string; status: string }> =>
  expectStatus(200, await app.fetch(EXECUTIONS, as(key))).body.data[0];
/** The newest execution, once it runs. */
async function running(): Promise<string> {
  await eventually(async () => (await newest()).status === 'running', 'it runs');
  return (await newest()).id;
}

afterEach(async () => {
  for (const { id, ended_at } of await list()) if (ended_at === undefined) expectStatus(200, await end(id));
});

describe('a session', () => {
  it('keeps variables and files between runs', async () => {
    const answer = await create({ name: 'March' });
    expectStatus(201, answer);
    expect(answer.body.data).toEqual({
      id: expect.stringMatching(/^sbx_[0-9a-z]{26}$/),
      name: 'March',
      language: 'python',
      status: 'awake',
      limits: { memory_bytes: 268_435_456, processes: 64, files_bytes: 134_217_728 },
      idle_timeout_seconds: 300,
      created_at: expect.stringMatching(RFC_3339),
      last_used_at: expect.stringMatching(RFC_3339),
      expires_at: expect.stringMatching(RFC_3339),
    });
    const { id, created_at, expires_at } = answer.body.data;
    expect(Date.parse(expires_at as string) - Date.parse(created_at as string)).toBe(12 * 3_600_000);

    expectStatus(200, await run(id, 'x = 40\nn = open("note", "w").write("kept")'));
    expect(await printed(id, 'print(x + 2, open("note").read())')).toBe('42 kept\n');
    expect(expectStatus(200, await shell(id, 'cat note; exit 3')).body.data).toMatchObject({
      status: 'failed',
      stdout: 'kept',
      exit_code: 3,
      session_id: id,
    });
  });

  it.each([
    ['javascript', 'var x = 40; const y = 1;', 'console.log(x + y + 1)'],
    ['typescript', 'let x: number = 40;', 'console.log((x as number) + 2)'],
  ])('keeps variables of %s', async (language, first, then) => {
    const id = await started({ language });
    expectStatus(200, await run(id, first));
    expect(await printed(id, then)).toBe('42\n');
  });

  it('records runs and commands as executions', async () => {
    const id = await started();
    const { data } = expectStatus(200, await run(id, 'print(input())', { stdin: 'abc\n', timeout_ms: 5_000 })).body;
    expect(data).toMatchObject({
      id: expect.stringMatching(/^exe_/),
      session_id: id,
      state_lost: false,
      language: 'python',
      status: 'succeeded',
      stdout: 'abc\n',
      limits: { timeout_ms: 5_000, memory_bytes: 268_435_456 },
      cost: expect.stringMatching(/^0\.0+\d+$/),
    });
    expect((await app.fetch(`${EXECUTIONS}/${data.id}`, as(key))).body.data).toEqual(data);
    const listed = (await app.fetch(EXECUTIONS, as(key))).body.data[0];
    expect(listed).toMatchObject({ id: data.id, session_id: id, state_lost: false });
  });

  it('is apart from other sessions', async () => {
    const [one, other] = [await started(), await started()];
    expectStatus(200, await run(one, 'secret = 1\nn = open("secret", "w").write("x")'));
    const code = 'import os\nprint("secret" in globals(), os.path.exists("secret"))';
    expect(await printed(other, code)).toBe('False False\n');
    expect(await printed(one, code)).toBe('True True\n');
  });

  it('has its environment, time zone and locale', async () => {
    const id = await started({ env: { GREETING: 'hi' }, timezone: 'Asia/Tokyo', locale: 'de-DE' });
    const code = 'import os, time\nprint(os.environ["GREETING"], time.strftime("%z"), os.environ["LANG"])';
    expect(await printed(id, code)).toBe('hi +0900 de_DE.UTF-8\n');
  });

  it('ends what runs when it is ended, and refuses what waits for its turn', async () => {
    const id = await started();
    const first = run(id, 'import time\ntime.sleep(20)');
    await running();
    const second = run(id, 'print("never")');
    await eventually(async () => (await newest()).status === 'queued', 'the second waits');
    expectStatus(200, await end(id));
    expect((await first).body.data.status).toBe('cancelled');
    const { status, body } = await second;
    expect([status, body.error.code]).toEqual([409, 'sandbox_session_over']);
    await eventually(async () => (await newest()).status === 'cancelled', 'the second is given up');
    const { data } = (await app.fetch('/api/v1/billing/credits', as(person))).body;
    expect(Number(data.held)).toBe(0);
  });

  it('says when variables are lost, and keeps its files', async () => {
    const id = await started();
    expectStatus(200, await run(id, 'x = 1\nn = open("kept", "w").write("x")'));
    expect(expectStatus(200, await run(id, 'import os\nos._exit(3)')).body.data).toMatchObject({
      status: 'failed',
      state_lost: true,
    });
    expect(await printed(id, 'import os\nprint("x" in globals(), os.path.exists("kept"))')).toBe('False True\n');
  });

  it('goes on after a run that reached its time limit', async () => {
    const id = await started();
    expectStatus(200, await run(id, 'n = open("kept", "w").write("x")'));
    const { data } = expectStatus(200, await run(id, 'while True: pass', { timeout_ms: 300 })).body;
    expect(data.status).toBe('timed_out');
    expect(await printed(id, 'print(open("kept").read())')).toBe('x\n');
  });

  it('stores and logs neither code nor input nor environment', async () => {
    const id = await started({ env: { SECRET: 'canary-environment' } });
    const { data } = (await run(id, 'pass # canary-code', { stdin: 'canary-input' })).body;
    const rows = await make.sql(
      `SELECT sandbox_executions::text AS all FROM sandbox_executions WHERE id = $1
         UNION ALL SELECT sandbox_sessions::text FROM sandbox_sessions WHERE id = $2`,
      [data.id, id],
    );
    expect(rows).toHaveLength(2);
    expect(JSON.stringify(rows)).not.toContain('canary');
    expect(JSON.stringify(app.log())).not.toContain('canary');
  });

  it('is listed by its state, page by page', async () => {
    const [one, other] = [await started(), await started()];
    expectStatus(200, await end(one));
    const ended = await list('&status=ended');
    expect(ended.map(({ id }) => id)).toContain(one);
    expect(ended.every(({ status }) => status === 'ended')).toBe(true);
    const first = (await app.fetch(`${PATH}?limit=1`, as(key))).body;
    expect([first.data[0].id, first.meta.has_more]).toEqual([other, true]);
    const second = (await app.fetch(`${PATH}?limit=1&cursor=${first.meta.next_cursor}`, as(key))).body;
    expect(second.data[0].id).toBe(one);
  });

  it('is created once for one Idempotency-Key, and not at all by a dry run', async () => {
    const before = (await list()).length;
    const answer = expectStatus(201, await create({}, { headers: { 'dry-run': 'true' } }));
    expect(answer.body).toMatchObject({ data: { status: 'starting' }, meta: { dry_run: true } });
    expect((await list()).length).toBe(before);
    const once = { headers: { 'idempotency-key': 'one-session' } };
    const [first, again] = [await create({}, once), await create({}, once)];
    expect(expectStatus(201, again).body.data.id).toBe(expectStatus(201, first).body.data.id);
    expect((await list()).length).toBe(before + 1);
  });

  it('waits until a worker has room', async () => {
    const held = [await started(), await started(), await started()];
    const waiting = create();
    await eventually(async () => (await list('&status=starting')).length === 1, 'it waits');
    expectStatus(200, await end(held[0]!));
    const { id } = expectStatus(201, await waiting).body.data;
    expect(await printed(id, 'print(1)')).toBe('1\n');
  });

  it('is not left behind by a caller that hangs up', async () => {
    for (let count = 0; count < 3; count++) await started();
    const leaving = new AbortController();
    const waiting = create({}, { signal: leaving.signal }).catch(() => undefined);
    await eventually(async () => (await list('&status=starting')).length === 1, 'it waits');
    leaving.abort();
    await waiting;
    await eventually(async () => (await list('&status=starting')).length === 0, 'it is given up');
    expect((await list())[0]).toMatchObject({ status: 'ended', end_reason: 'not_started' });
  });
});

describe('runs of one session', () => {
  it('take turns, in their order', async () => {
    const id = await started();
    const slow = run(id, 'import time\ntime.sleep(0.7)\nx = 1');
    await running();
    const [second, third] = [run(id, 'x += 1\nprint(x)'), shell(id, 'echo done')];
    expectStatus(200, await slow);
    expect(expectStatus(200, await second).body.data).toMatchObject({ stdout: '2\n', queue_ms: expect.any(Number) });
    expect(expectStatus(200, await third).body.data.stdout).toBe('done\n');
  });

  it('return 409 when the turn does not come in time, and then cost nothing', async () => {
    const id = await started();
    const slow = run(id, 'import time\ntime.sleep(2)');
    await running();
    const answer = await run(id, 'print(1)', { queue_timeout_ms: 200 });
    expect([answer.status, answer.body.error.code]).toEqual([409, 'sandbox_session_busy']);
    const [refused] = (await app.fetch(EXECUTIONS, as(key))).body.data;
    expect(refused).toMatchObject({ status: 'cancelled', session_id: id });
    expect(refused).not.toHaveProperty('cost');
    expect((await freeze(id)).body.error.code).toBe('sandbox_session_busy');
    expectStatus(200, await slow);
  });

  it('are cancelled as executions, and the session goes on', async () => {
    const id = await started();
    const before = performance.now();
    const cancelled = run(id, 'import time\ntime.sleep(50)');
    const execution = await running();
    const waiting = run(id, 'print("never")');
    await eventually(async () => (await newest()).status === 'queued', 'another one waits');
    const cancel = (it: string): Promise<Answer> => app.call('POST', `${EXECUTIONS}/${it}/cancel`, as(key));
    expectStatus(200, await cancel((await newest()).id));
    const { data } = expectStatus(200, await waiting).body;
    expect(data).toMatchObject({ status: 'cancelled' });
    expect(data).not.toHaveProperty('cost');
    expectStatus(200, await cancel(execution));
    expect(expectStatus(200, await cancelled).body.data).toMatchObject({
      status: 'cancelled',
      cost: expect.any(String),
    });
    expect(await printed(id, 'print(1)')).toBe('1\n');
    expect(performance.now() - before).toBeLessThan(onThisMachine(10_000));
  });

  it('end when their caller hangs up', async () => {
    const id = await started();
    const before = performance.now();
    const leaving = new AbortController();
    const left = run(id, 'import time\ntime.sleep(50)', {}, { signal: leaving.signal }).catch(() => undefined);
    const execution = await running();
    leaving.abort();
    await left;
    const statusOf = async (): Promise<string> =>
      (await app.fetch(`${EXECUTIONS}/${execution}`, as(key))).body.data.status as string;
    await eventually(async () => (await statusOf()) === 'cancelled', 'it is cancelled');
    expect(await printed(id, 'print(1)')).toBe('1\n');
    expect(performance.now() - before).toBeLessThan(onThisMachine(10_000));
  });

  it('stream their output', async () => {
    const id = await started();
    expectStatus(200, await run(id, 'x = 3'));
    const code = 'import time\nfor n in range(x):\n    print(n, flush=True)\n    time.sleep(0.2)';
    const stream = await EventStream.open(app, `${PATH}/${id}/runs`, { method: 'POST', body: { code }, ...as(key) });
    await stream.has('stdout');
    expect(stream.types).not.toContain('result');
    await stream.ended;
    expect([stream.types[0], ...stream.types.slice(-2)]).toEqual(['execution', 'result', 'end']);
    expect(stream.output('stdout')).toBe('0\n1\n2\n');
    expect(stream.data('result')).toMatchObject({ session_id: id, stdout: '0\n1\n2\n', status: 'succeeded' });
    const command = await EventStream.open(app, `${PATH}/${id}/shell`, {
      method: 'POST',
      body: { command: 'echo out; echo err >&2; exit 2' },
      ...as(key),
    });
    await command.ended;
    expect([command.output('stdout'), command.output('stderr')]).toEqual(['out\n', 'err\n']);
    expect(command.data('end')).toEqual({ status: 'failed' });
  });

  it('can be priced without running', async () => {
    const id = await started();
    const answer = await run(id, 'raise SystemExit(1)', { timeout_ms: 1_000 }, { headers: { 'dry-run': 'true' } });
    expect(expectStatus(200, answer).body).toMatchObject({
      data: { language: 'python', limits: { timeout_ms: 1_000 }, max_cost: expect.any(String) },
      meta: { dry_run: true },
    });
    expect(await printed(id, 'print("same")')).toBe('same\n');
  });
});

describe('the end of a session', () => {
  it('cancels what runs, and can be repeated', async () => {
    const id = await started();
    expect(expectStatus(200, await end(id, { headers: { 'dry-run': 'true' } })).body.data.status).toBe('ended');
    const cut = run(id, 'import time\ntime.sleep(20)');
    await running();
    const { data } = expectStatus(200, await end(id)).body;
    expect(data).toMatchObject({ status: 'ended', end_reason: 'requested', ended_at: expect.stringMatching(RFC_3339) });
    expect(expectStatus(200, await cut).body.data).toMatchObject({ status: 'cancelled', cost: expect.any(String) });
    expect(expectStatus(200, await end(id)).body.data).toEqual(data);
    expect(await read(id)).toEqual(data);
  });

  it('is the answer of everything afterwards', async () => {
    const id = await started();
    expectStatus(200, await end(id));
    const answers = [
      await run(id, 'print(1)'),
      await shell(id, 'true'),
      await freeze(id),
      await app.fetch(`${PATH}/${id}/files`, as(key)),
      await app.fetch(`${PATH}/${id}/files/content?path=x`, as(key)),
      await app.call('DELETE', `${PATH}/${id}/files/content?path=x`, as(key)),
    ];
    for (const { status, body } of answers)
      expect([status, body.error]).toEqual([
        409,
        expect.objectContaining({
          code: 'sandbox_session_over',
          details: { status: 'ended', end_reason: 'requested' },
        }),
      ]);
  });
});

describe('refused callers of sessions', () => {
  type Ask = (id: string, options: CallOptions) => Promise<Answer>;
  const json =
    (path: string, body: object): Ask =>
    (id, options) =>
      app.post(`${PATH}/${id}${path}`, body, options);
  const plain =
    (method: string, path: string): Ask =>
    (id, options) =>
      app.call(method, `${PATH}/${id}${path}`, options);
  const put: Ask = (id, options) =>
    app.call('PUT', `${PATH}/${id}/files/content?path=x`, {
      ...options,
      headers: { 'content-type': 'application/octet-stream', ...options.headers },
      body: 'x',
    });
  const OF_ONE: readonly (readonly [string, Ask])[] = [
    ['GET', plain('GET', '')],
    ['DELETE', plain('DELETE', '')],
    ['POST runs', json('/runs', { code: 'print(1)' })],
    ['POST shell', json('/shell', { command: 'true' })],
    ['POST freeze', plain('POST', '/freeze')],
    ['GET files', plain('GET', '/files')],
    ['GET content', plain('GET', '/files/content?path=x')],
    ['PUT content', put],
    ['DELETE content', plain('DELETE', '/files/content?path=x')],
  ];

  it('get 404 for a session that is unknown, and for one of another tenant', async () => {
    const id = await started();
    const tenant = await make.key(await make.person({ plan: 'pro' }));
    for (const [name, ask] of OF_ONE) {
      const [unknown, theirs] = [await ask(UNKNOWN, as(key)), await ask(id, as(tenant))];
      expect([name, unknown.status, unknown.body.error.code]).toEqual([name, 404, 'sandbox_session_not_found']);
      expect([name, theirs.status, theirs.body.error]).toEqual([name, 404, unknown.body.error]);
    }
    expect((await read(id)).ended_at).toBeUndefined();
  });

  it('get 401 without a key, and 403 without the scope', async () => {
    const id = await started();
    const weak = await make.key(person, { scopes: ['projects:read'] });
    for (const [name, ask] of OF_ONE) {
      const [keyless, scopeless] = [await ask(id, {}), await ask(id, as(weak))];
      expect([name, keyless.status, keyless.body.error.code]).toEqual([name, 401, 'missing_api_key']);
      expect([name, scopeless.status, scopeless.body.error.code]).toEqual([name, 403, 'insufficient_scopes']);
    }
  });

  it('are refused to create and to list, too', async () => {
    const weak = await make.key(person, { scopes: ['projects:read'] });
    expect((await app.post(PATH, { language: 'python' })).status).toBe(401);
    expect((await create({}, {}, weak)).body.error).toMatchObject({ status: 403, code: 'insufficient_scopes' });
    expect((await app.fetch(PATH)).status).toBe(401);
    expect((await app.fetch(PATH, as(weak))).body.error).toMatchObject({ status: 403, code: 'insufficient_scopes' });
    const tenant = await make.key(await make.person());
    await started();
    expect((await app.fetch(PATH, as(tenant))).body.data).toEqual([]);
  });
});

describe('requests about sessions that are not valid', () => {
  it.each([
    ['an unknown language', { language: 'ruby' }, { path: 'language', code: 'is_in' }],
    ['too little memory', { memory_mib: 127 }, { path: 'memory_mib', code: 'min' }],
    ['more memory than the plan', { memory_mib: 1_025 }, { path: 'memory_mib', code: 'max' }],
    ['a short idle time', { idle_timeout_seconds: 59 }, { path: 'idle_timeout_seconds', code: 'min' }],
    ['a long idle time', { idle_timeout_seconds: 3_601 }, { path: 'idle_timeout_seconds', code: 'max' }],
    ['an empty name', { name: '' }, { path: 'name', code: 'min_length' }],
    ['a name of two lines', { name: 'a\nb' }, { path: 'name', code: 'matches' }],
    ['an environment of another type', { env: 'x' }, { path: 'env' }],
    ['no time zone', { timezone: 'Moon' }, { path: 'timezone' }],
    ['an unknown field', { code: 'print(1)' }, { path: 'code', code: 'unknown_field' }],
  ])('return 400 for %s', async (_what, body, fault) => {
    const answer = await create(body);
    expect(answer.status).toBe(400);
    expect(answer.body.error.details).toEqual([expect.objectContaining({ in: 'body', ...fault })]);
  });

  it('return 400 for work that is none', async () => {
    const id = await started();
    const codesOf = ({ status, body }: Answer): unknown[] => [status, body.error.details[0].path];
    expect(codesOf(await run(id, ''))).toEqual([400, 'code']);
    expect(codesOf(await run(id, 'x'.repeat(131_073)))).toEqual([400, 'code']);
    expect(codesOf(await run(id, 'x', { timeout_ms: 120_001 }))).toEqual([400, 'timeout_ms']);
    expect(codesOf(await run(id, 'x', { queue_timeout_ms: 0 }))).toEqual([400, 'queue_timeout_ms']);
    expect(codesOf(await run(id, 'x', { language: 'python' }))).toEqual([400, 'language']);
    expect(codesOf(await shell(id, ''))).toEqual([400, 'command']);
    expect(codesOf(await shell(id, 'a\0b'))).toEqual([400, 'command']);
    expect(codesOf(await app.fetch(`${PATH}?status=gone`, as(key)))).toEqual([400, 'status']);
    const keyed = { headers: { accept: 'text/event-stream', 'idempotency-key': 'k' } };
    expect(codesOf(await run(id, 'x', {}, keyed))).toEqual([400, 'Idempotency-Key']);
  });
});
