import { DataSource } from 'typeorm';
import { LANGUAGES, SandboxRuntime } from '../../src/modules/sandbox/domain/sandbox-runtime.js';
import { SandboxMetrics } from '../../src/modules/sandbox/metrics/sandbox.metrics.js';
import { LocalJobs } from '../../src/platform/queues/local-jobs.js';
import { JobTurns } from '../../src/platform/queues/job-turns.js';
import { EventStream } from '../support/event-stream.js';
import { type Answer, eventually, randomAddress, useApp, WITH_SANDBOX } from '../support/test-app.js';

const TRY = '/api/v1/sandbox/try';
const HELLO = {
  typescript: 'const x: number = 1 + 2; console.log(x);',
  javascript: 'console.log(1 + 2)',
  python: 'print(1 + 2)',
};

describe('POST /api/v1/sandbox/try', () => {
  const app = useApp({ ...WITH_SANDBOX, ANONYMOUS_CALLS_PER_SECOND: '1000' });

  it.each(LANGUAGES)('runs %s and returns the outcome and the remaining executions', async (language) => {
    const answer = await app.post(TRY, { language, code: HELLO[language] });
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
      },
      meta: { remaining_executions: 9, request_id: answer.headers.get('x-request-id') },
    });
    expect(answer.headers.get('x-service-tier')).toBe('anonymous');
  });

  it('returns 200 for code that fails, with the error and its line', async () => {
    const answer = await app.post(TRY, { language: 'python', code: 'x = 1\nraise ValueError("no")' });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({
      status: 'failed',
      exit_code: 1,
      error: { name: 'ValueError', message: 'no', line: 2 },
    });
  });

  it('passes the standard input to the program', async () => {
    const answer = await app.post(TRY, { language: 'python', code: 'print(input()[::-1])', stdin: 'abc\n' });
    expect(answer.body.data.stdout).toBe('cba\n');
  });

  it.each([
    [
      'an unknown language',
      { code: 'x', language: 'ruby' },
      { path: 'language', code: 'is_in', expected: [...LANGUAGES], received: 'ruby' },
    ],
    ['empty code', { code: '', language: 'python' }, { path: 'code', code: 'min_length' }],
    ['code of another type', { code: 7, language: 'python' }, { path: 'code', code: 'is_string' }],
    ['code over 128 KiB', { code: 'é'.repeat(65_537), language: 'python' }, { path: 'code', code: 'max_bytes' }],
    ['no language', { code: 'x' }, { path: 'language', code: 'is_in' }],
    ['an unknown field', { code: 'x', language: 'python', timeout: 99 }, { path: 'timeout', code: 'unknown_field' }],
    ['a standard input of null', { code: 'x', language: 'python', stdin: null }, { path: 'stdin', code: 'is_string' }],
    ['files, which need a key', { code: 'x', language: 'python', files: [] }, { path: 'files', code: 'unknown_field' }],
    [
      'a standard input of another type',
      { code: 'x', language: 'python', stdin: {} },
      { path: 'stdin', code: 'is_string' },
    ],
  ])('returns 400 for %s with the field, and does not count it', async (_what, body, fault) => {
    const from = randomAddress();
    const answer = await app.post(TRY, body, { from });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ type: 'validation_error', code: 'invalid_request' });
    expect(answer.body.error.details).toEqual([expect.objectContaining({ in: 'body', ...fault })]);
    expect((await app.post(TRY, { language: 'python', code: '1' }, { from })).body.meta.remaining_executions).toBe(9);
  });

  describe('as a stream', () => {
    const BODY = { language: 'python', code: 'import time\nprint("é")\ntime.sleep(1)\nprint("two")' };

    it('sends the output while the program runs, then the outcome, and the remaining executions', async () => {
      const stream = await EventStream.open(app, TRY, { method: 'POST', body: BODY });
      await stream.has('stdout');
      expect(stream.types).toEqual(['stdout']);
      await stream.ended;
      expect(stream.types).toEqual(['stdout', 'stdout', 'result', 'end']);
      expect(stream.events.map(({ id }) => id)).toEqual([1, 2, expect.any(Number), expect.any(Number)]);
      expect(stream.data('result')).toMatchObject({ status: 'succeeded', stdout: 'é\ntwo\n' });
      expect(Object.keys(stream.data('result'))).toEqual(Object.keys((await app.post(TRY, BODY)).body.data));
      expect(stream.data('end')).toEqual({ status: 'succeeded', remaining_executions: 9 });
    });

    it('refuses before the stream begins as without a stream', async () => {
      const [from, headers] = [randomAddress(), { accept: 'text/event-stream' }];
      const refused = await app.post(TRY, { ...BODY, language: 'ruby' }, { from, headers });
      expect([refused.status, refused.body.error.code]).toEqual([400, 'invalid_request']);
      const keyed = await app.post(TRY, BODY, { from, headers: { ...headers, 'idempotency-key': 'once' } });
      expect(keyed.body.error.details).toEqual([expect.objectContaining({ code: 'not_with_stream' })]);
      expect((await app.post(TRY, BODY, { from })).body.meta.remaining_executions).toBe(9);
    });

    it('ends the run of a caller that leaves, which frees its place', async () => {
      const from = randomAddress();
      const endless = { ...BODY, code: 'print(1)\nwhile True: pass' };
      const streams = [await EventStream.open(app, TRY, { method: 'POST', body: endless, from })];
      streams.push(await EventStream.open(app, TRY, { method: 'POST', body: endless, from }));
      await Promise.all(streams.map((stream) => stream.has('stdout')));
      const third = await app.post(TRY, BODY, { from, headers: { accept: 'text/event-stream' } });
      expect([third.status, third.body.error.code]).toEqual([429, 'concurrency_limit_exceeded']);
      for (const stream of streams) stream.leave();
      await eventually(() => app.get(SandboxMetrics).running === 0, 'both have ended');
      await eventually(async () => (await app.post(TRY, BODY, { from })).status === 200, 'there is room');
    });
  });

  it('accepts code of exactly 128 KiB', async () => {
    const answer = await app.post(TRY, { language: 'python', code: `#${'x'.repeat(131_071)}` });
    expect([answer.status, answer.body.data.status]).toEqual([200, 'succeeded']);
  });

  it('reports all invalid fields at once', async () => {
    const answer = await app.post(TRY, { code: 1, language: 2, more: 3 });
    const details = answer.body.error.details as { path: string }[];
    expect(details.map(({ path }) => path).sort()).toEqual(['code', 'language', 'more']);
  });

  it('returns 429 for the eleventh run of a day from one address only', async () => {
    const from = randomAddress();
    const body = { language: 'python', code: 'print(1)' };
    for (const left of [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]) {
      expect((await app.post(TRY, body, { from })).body.meta.remaining_executions).toBe(left);
    }
    const refused = await app.post(TRY, body, { from });
    expect(refused.status).toBe(429);
    expect(refused.body.error).toMatchObject({
      type: 'rate_limit_error',
      code: 'sandbox_daily_limit_exceeded',
      upgrade_url: 'http://api.test/pricing',
      details: { policy: 'sandbox_daily', limit: 10, remaining: 0 },
    });
    expect(refused.headers.get('retry-after')).toBe(String(refused.body.error.retry_after));
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(86_400);
    expect(refused.headers.get('x-service-calls-limit')).toBe('1000');
    expect((await app.post(TRY, body)).status).toBe(200);
  });

  it('keeps the daily count across a restart', async () => {
    const from = randomAddress();
    const body = { language: 'python', code: 'print(1)' };
    expect((await app.post(TRY, body, { from })).body.meta.remaining_executions).toBe(9);
    await app.restart();
    expect((await app.post(TRY, body, { from })).body.meta.remaining_executions).toBe(8);
  });

  it('reports the isolation mode in the metrics', async () => {
    expect((await app.fetch('/metrics')).text).toMatch(/^sandbox_available\{mode="(cgroup-v[12]|rlimits)"\} 1$/m);
  });

  it('returns the limits in a dry run, and runs and counts nothing', async () => {
    const from = randomAddress();
    const body = { language: 'python', code: 'print(1)' };
    const { status, body: answer } = await app.post(TRY, body, { from, headers: { 'dry-run': 'true' } });
    expect([status, answer.data, answer.meta.dry_run]).toEqual([
      200,
      { language: 'python', limits: expect.objectContaining({ timeout_ms: 30_000 }) },
      true,
    ]);
    expect((await app.post(TRY, { ...body, language: 'ruby' }, { from, headers: { 'dry-run': 'true' } })).status).toBe(
      400,
    );
    expect((await app.post(TRY, body, { from })).body.meta.remaining_executions).toBe(9);
  });

  it('runs once per idempotency key, without a database transaction during the run', async () => {
    const from = randomAddress();
    const send = (code: string, key: string): Promise<Answer> =>
      app.post(TRY, { language: 'python', code }, { from, headers: { 'idempotency-key': key } });
    const running = send('import time; time.sleep(2); print("ran")', 'once');
    const inTransaction = async (): Promise<number> => {
      const rows = await app.get(DataSource).query<{ n: string }[]>(
        `SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database()
            AND state = 'idle in transaction'`,
      );
      return Number(rows[0]!.n);
    };
    const isUnderWay = (): boolean => app.get(SandboxMetrics).running === 1;
    await eventually(isUnderWay, 'the run is under way');
    // What is done every so often may be in a transaction just then.
    await eventually(
      async () => (await inTransaction()) === 0 && isUnderWay(),
      'there is no transaction while it runs',
    );
    const first = await running;
    expect(first.body.data.stdout).toBe('ran\n');
    const again = await send('import time; time.sleep(2); print("ran")', 'once');
    expect([again.body.data.id, again.headers.get('idempotency-replayed')]).toEqual([first.body.data.id, 'true']);
  });

  it('logs neither the code nor its output', async () => {
    const before = app.log().length;
    const answers = [
      await app.post(TRY, { language: 'python', code: 'print("canary" + "-printed") # canary-code' }),
      await app.post(TRY, { language: 'python', code: 'raise ValueError("canary" + "-raised") # canary-code' }),
      await app.post(TRY, { language: 'python', code: 'print(1) # canary-code', more: 'canary-field' }),
    ];
    // The answers hold what the log must not, so that it was there to be logged.
    expect(answers[0]!.body.data.stdout).toBe('canary-printed\n');
    expect(answers[1]!.body.data.error.message).toBe('canary-raised');
    const linesOf = ({ headers }: Answer): object[] =>
      app
        .log()
        .slice(before)
        .filter((line) => line['requestId'] === headers.get('x-request-id'));
    await eventually(() => answers.every((answer) => linesOf(answer).length > 0), 'each request is in the log');
    expect(JSON.stringify(app.log().slice(before))).not.toMatch(/canary/);
  });
});

describe('fairness between anonymous callers', () => {
  const app = useApp({ ...WITH_SANDBOX, ANONYMOUS_CALLS_PER_SECOND: '1000', SANDBOX_CONCURRENCY: '3' });
  const sleep = (seconds: number): object => ({
    language: 'python',
    code: `import time; time.sleep(${seconds}); print("slept")`,
  });

  it('returns 429 for a third concurrent run of one address, and does not count it', async () => {
    const from = randomAddress();
    const two = [app.post(TRY, sleep(1), { from }), app.post(TRY, sleep(1), { from })];
    await eventually(() => app.get(SandboxMetrics).running === 2, 'two runs are under way');

    const third = await app.post(TRY, sleep(0), { from });
    expect(third.status).toBe(429);
    expect(third.body.error).toMatchObject({
      code: 'concurrency_limit_exceeded',
      retry_after: 1,
      details: { policy: 'sandbox_concurrency', limit: 2 },
    });
    expect((await app.post(TRY, sleep(0))).status).toBe(200);

    expect((await Promise.all(two)).map(({ body }) => body.data.stdout as string)).toEqual(['slept\n', 'slept\n']);
    expect((await app.post(TRY, sleep(0), { from })).body.meta.remaining_executions).toBe(7);
  });

  it('ends and counts the run of a caller who disconnects', async () => {
    const from = randomAddress();
    const caller = new AbortController();
    const call = app.post(TRY, sleep(20), { from, signal: caller.signal }).catch(() => 'hung up');
    await eventually(() => app.get(SandboxMetrics).running === 1, 'the run is under way');
    caller.abort();
    expect(await call).toBe('hung up');
    await eventually(() => app.get(SandboxMetrics).running === 0, 'the run has been ended', 2_000);

    expect((await app.post(TRY, sleep(0), { from })).body.meta.remaining_executions).toBe(8);
    expect(app.log().filter(({ level }) => level === 'error')).toEqual([]);
    expect(app.log()).toContainEqual(expect.objectContaining({ path: TRY, status: 499 }));
  });

  it('returns 503 with Retry-After when a run cannot start in time, and does not count it', async () => {
    const from = randomAddress();
    const room = jest.spyOn(app.get(LocalJobs), 'hasRoom').mockReturnValue(false);
    const waiting = jest
      .spyOn(app.get(JobTurns), 'look')
      .mockResolvedValue({ round: 2, ahead: 1, own: 1, waiting: 1_000, active: 2 });
    const refused = await app.post(TRY, sleep(0), { from });
    waiting.mockRestore();
    room.mockRestore();
    expect(refused.body.error).toMatchObject({
      code: 'sandbox_unavailable',
      details: { expected_wait_seconds: expect.any(Number) },
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);

    expect((await app.post(TRY, sleep(0), { from })).body.meta.remaining_executions).toBe(9);
  });
});

describe('when the platform fails a run', () => {
  const app = useApp({ ...WITH_SANDBOX, ANONYMOUS_CALLS_PER_SECOND: '1000' });

  it('returns 503 with Retry-After and refunds the execution and the call', async () => {
    const from = randomAddress();
    const runtime = app.get(SandboxRuntime);
    const broken = jest
      .spyOn(runtime, 'run')
      .mockRejectedValue(new Error('canary: a cause that is not the caller’s business'));
    const answer = await app.post(TRY, { language: 'python', code: 'print(1)' }, { from });
    broken.mockRestore();

    expect(answer.status).toBe(503);
    expect(answer.body.error).toMatchObject({ type: 'api_error', code: 'sandbox_unavailable' });
    expect(answer.headers.get('retry-after')).toBe('5');
    expect(answer.text).not.toContain('canary');
    expect(answer.headers.get('x-service-calls-remaining')).toBe('1000');
    expect(
      (await app.post(TRY, { language: 'python', code: 'print(1)' }, { from })).body.meta.remaining_executions,
    ).toBe(9);
  });
});

describe('without bubblewrap', () => {
  const app = useApp({ ...WITH_SANDBOX, SANDBOX_BUBBLEWRAP: '/nonexistent/bwrap' });

  it('returns 503 that names what is missing, and /ready is degraded', async () => {
    const from = randomAddress();
    const run = (): Promise<Answer> => app.post(TRY, { language: 'python', code: 'print(1)' }, { from });
    await eventually(async () => (await run()).text.includes('bubblewrap'), 'the worker has said what it lacks');
    const answer = await run();
    expect(answer.status).toBe(503);
    expect(answer.body.error).toMatchObject({
      code: 'sandbox_unavailable',
      hint: expect.stringContaining('bubblewrap'),
    });

    const ready = await app.fetch('/ready');
    expect(ready.status).toBe(200);
    expect(ready.body).toMatchObject({
      status: 'degraded',
      details: { sandbox: { status: 'degraded', missing: [expect.stringContaining('bubblewrap')] } },
    });
  });
});

describe('with SANDBOX_ENABLED=false', () => {
  const app = useApp({ SANDBOX_ENABLED: 'false' });

  it('returns 503 that names the setting', async () => {
    const answer = await app.post(TRY, { language: 'python', code: 'print(1)' });
    expect([answer.status, answer.body.error.hint]).toEqual([503, expect.stringContaining('SANDBOX_ENABLED')]);
  });
});
