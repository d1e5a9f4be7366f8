import { SandboxMetrics } from '../../src/modules/sandbox/metrics/sandbox.metrics.js';
import { RedisConnections } from '../../src/platform/redis/redis-connections.js';
import { EventStream, type ReceivedEvent } from '../support/event-stream.js';
import { as, expectStatus, Make, type Person } from '../support/make.js';
import { onThisMachine } from '../support/patience.js';
import { type Answer, type CallOptions, eventually, useApp, WITH_SANDBOX } from '../support/test-app.js';

jest.setTimeout(onThisMachine(60_000));

const PATH = '/api/v1/sandbox/executions';
const HELLO = { language: 'python', code: 'print("hello")' };
const SLEEPS = { language: 'python', code: 'import time\nprint("began")\ntime.sleep(20)' };
const BOTH = {
  language: 'python',
  code: `
import sys, time
for n in range(5):
    print("out", n)
    print("err", n, file=sys.stderr, flush=True)
    time.sleep(0.2)
sys.exit(3)`,
};

const app = useApp({ ...WITH_SANDBOX, SANDBOX_CONCURRENCY: '2' });
const make = new Make(app);
let person: Person;
let key: string;
const opened: EventStream[] = [];

beforeAll(async () => {
  person = await make.person({ plan: 'pro' });
  key = await make.key(person, { scopes: ['sandbox:execute'] });
});
afterEach(() => {
  for (const stream of opened.splice(0)) stream.leave();
});

async function open(path: string, asked: Parameters<typeof EventStream.open>[2], by = key): Promise<EventStream> {
  const stream = await EventStream.open(app, path, { ...asked, ...as(by, asked) });
  opened.push(stream);
  return stream;
}
const stream = (body: object, by = key): Promise<EventStream> => open(PATH, { method: 'POST', body }, by);
const follow = (id: string, lastEventId?: number, by = key): Promise<EventStream> =>
  open(`${PATH}/${id}/events`, lastEventId === undefined ? {} : { lastEventId }, by);
const start = async (body: object): Promise<string> =>
  expectStatus(202, await app.post(PATH, { ...body, wait: false }, as(key))).body.data.id as string;
const read = async (id: string): Promise<any> => (await app.fetch(`${PATH}/${id}`, as(key))).body.data;
const asked = (headers: Record<string, string> = {}): CallOptions =>
  as(key, { headers: { accept: 'text/event-stream', ...headers } });
const running = (): number => app.get(SandboxMetrics).running;
const keptOf = (id: string): Promise<number> => app.get(RedisConnections).producer().llen(`sandbox:output:${id}`);

describe('POST /api/v1/sandbox/executions as a stream', () => {
  it('sends the output while the program runs, then the execution as it is read afterwards, and the end', async () => {
    const following = await stream(BOTH);
    const { status, headers } = following.response;
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    await following.has('stdout');
    expect(following.types).not.toContain('result');
    await following.ended;

    expect(following.output('stdout')).toBe('out 0\nout 1\nout 2\nout 3\nout 4\n');
    expect(following.output('stderr')).toBe('err 0\nerr 1\nerr 2\nerr 3\nerr 4\n');
    expect(following.types.filter((type) => type === 'stdout').length).toBeGreaterThan(2);
    expect([following.types[0], ...following.types.slice(-2)]).toEqual(['execution', 'result', 'end']);
    const { id } = following.data('execution');
    expect(following.data('result')).toEqual(await read(id));
    expect(following.data('result')).toMatchObject({ status: 'failed', exit_code: 3 });
    expect(following.data('end')).toEqual({ status: 'failed' });
    const ids = following.events.map((event) => event.id);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
  });

  it('never splits a character, whichever way its bytes are written', async () => {
    const text = 'é€😀'.repeat(40);
    const code = `
import os, time
for byte in ${JSON.stringify(text)}.encode():
    os.write(1, bytes([byte]))
    time.sleep(0.002)
os.write(1, b"\\xff\\xe2\\x82")`;
    const sent = await stream({ language: 'python', code });
    await sent.ended;
    const pieces = sent.events.filter(({ type }) => type === 'stdout');
    expect(pieces.length).toBeGreaterThan(5);
    expect(pieces.map(({ data }) => data.text).join('')).toBe(`${text}\ufffd\ufffd`);
    expect(sent.data('result').stdout).toBe(`${text}\ufffd\ufffd`);
  });

  it('gathers many small writes to few events, and has all of them', async () => {
    const code = 'import os\nfor n in range(60_000):\n    os.write(1, b"o")\n    os.write(2, b"e")';
    const many = await stream({ language: 'python', code });
    await many.ended;
    expect([many.output('stdout').length, many.output('stderr').length]).toEqual([60_000, 60_000]);
    expect(many.events.length).toBeLessThan(300);
  });

  it.each([
    ['timed_out', { code: 'print("began")\nwhile True: pass', timeout_ms: 1_000 }],
    ['out_of_memory', { code: 'print("began")\nx = []\nwhile True: x.append(b"x" * 50_000_000)' }],
    ['output_limit', { code: 'print("began")\nwhile True: print("€" * 1_000)' }],
  ])('sends the output and the result of a run that ends as %s', async (status, body) => {
    const cut = await stream({ language: 'python', ...body });
    await cut.ended;
    expect(cut.types.slice(-2)).toEqual(['result', 'end']);
    expect(cut.data('result')).toMatchObject({ status });
    expect(cut.output('stdout')).toBe(cut.data('result').stdout);
    expect(cut.output('stdout').slice(0, 6)).toBe('began\n');
  });

  it('streams a hosted TypeScript program with its errors', async () => {
    const failing = await stream({ language: 'typescript', code: 'console.log(1 as number);\nthrow new Error("no");' });
    await failing.ended;
    expect(failing.output('stdout')).toBe('1\n');
    expect(failing.output('stderr')).toBe(failing.data('result').stderr);
    expect(failing.data('result')).toMatchObject({ status: 'failed', error: { message: 'no', line: 2 } });
  });

  it('refuses before the stream begins as without a stream', async () => {
    const post = (body: object, options: CallOptions = asked()): Promise<Answer> => app.post(PATH, body, options);
    const codesOf = async (answer: Promise<Answer>): Promise<unknown[]> => {
      const { status, headers, body } = await answer;
      return [status, headers.get('content-type'), body.error.code];
    };
    const json = 'application/json; charset=utf-8';
    expect(await codesOf(post({ language: 'ruby', code: 'x' }))).toEqual([400, json, 'invalid_request']);
    expect(await codesOf(post(HELLO, asked({ authorization: '' })))).toEqual([401, json, 'missing_api_key']);
    const narrow = await make.key(person, { scopes: ['projects:read'] });
    expect(await codesOf(post(HELLO, asked({ authorization: `Bearer ${narrow}` })))).toEqual([
      403,
      json,
      'insufficient_scopes',
    ]);
    const keyed = await post(HELLO, asked({ 'idempotency-key': 'once' }));
    expect(keyed.body.error.details).toEqual([
      expect.objectContaining({ path: 'Idempotency-Key', in: 'header', code: 'not_with_stream' }),
    ]);
  });

  it('answers a dry run as without a stream, and runs nothing', async () => {
    const { status, body } = await app.post(PATH, HELLO, asked({ 'dry-run': 'true' }));
    expect([status, Object.keys(body.data), body.meta.dry_run]).toEqual([
      200,
      ['language', 'limits', 'max_cost'],
      true,
    ]);
  });

  it('sends an error and the end when no worker takes the run in time', async () => {
    const busy = await Promise.all([stream(SLEEPS), stream(SLEEPS)]);
    await eventually(() => running() === 2, 'both run');
    const waiting = await stream({ ...HELLO, queue_timeout_ms: 500 });
    await waiting.ended;
    expect(waiting.types).toEqual(['execution', 'error', 'end']);
    expect(waiting.data('error')).toEqual({
      error: expect.objectContaining({ type: 'api_error', code: 'sandbox_unavailable', status: 503 }),
      meta: { request_id: waiting.response.headers.get('x-request-id') },
    });
    for (const each of busy) each.leave();
    await eventually(() => running() === 0, 'none runs');
  });

  it('ends the run of a caller that leaves, frees its places, and ends no other', async () => {
    const other = await stream(BOTH);
    const left = await stream(SLEEPS);
    await left.has('stdout');
    left.leave();
    const { id } = left.data('execution');
    await eventually(async () => (await read(id)).status === 'cancelled', 'it is cancelled');
    await other.ended;
    expect(other.data('result')).toMatchObject({ status: 'failed', exit_code: 3 });
    await eventually(() => running() === 0, 'none runs');
    const slots = await app.get(RedisConnections).producer().keys('concurrency:sandbox:*');
    const taken = await Promise.all(slots.map((slot) => app.get(RedisConnections).producer().zcard(slot)));
    expect(taken.filter((count) => count > 0)).toEqual([]);
  });

  it('goes on with `wait: false` when the caller leaves, who can follow it again', async () => {
    const left = await stream({ ...BOTH, wait: false });
    await left.has('stdout');
    left.leave();
    const again = await follow(left.data('execution').id, left.events.at(-1)!.id);
    await again.ended;
    const seen = new Set(left.events.map((event) => event.id));
    expect(again.events.filter((event) => seen.has(event.id))).toEqual([]);
    expect(left.output('stdout') + again.output('stdout')).toBe('out 0\nout 1\nout 2\nout 3\nout 4\n');
    expect(again.data('result')).toMatchObject({ exit_code: 3 });
  });

  it('writes the output of no run that nobody can follow', async () => {
    const { id } = expectStatus(200, await app.post(PATH, HELLO, as(key))).body.data;
    expect(await keptOf(id)).toBe(0);
    const followed = await stream(HELLO);
    await followed.ended;
    expect(await keptOf(followed.data('execution').id)).toBe(1);
  });
});

describe('GET /api/v1/sandbox/executions/{id}/events', () => {
  it('follows an execution that was made with `wait: false` from its start', async () => {
    const id = await start(BOTH);
    const following = await follow(id);
    await following.ended;
    expect(following.types[0]).toBe('execution');
    expect(following.output('stdout')).toBe('out 0\nout 1\nout 2\nout 3\nout 4\n');
    expect(following.data('result')).toEqual(await read(id));
  });

  it('gives the same rest after every event, while the program runs and afterwards', async () => {
    const first = await stream({ ...BOTH, wait: false });
    await first.has('stdout');
    const { id } = first.data('execution');
    const whileRunning = await follow(id, 1);
    await Promise.all([first.ended, whileRunning.ended]);
    const after = (seq: number): ReceivedEvent[] => first.events.filter((event) => event.id > seq);
    expect(whileRunning.events).toEqual(after(1));
    for (const { id: seq } of first.events.slice(0, -1)) {
      const rest = await follow(id, seq);
      await rest.ended;
      expect(rest.events).toEqual(after(seq));
    }
    expect((await follow(id, first.events.at(-1)!.id)).response.status).toBe(204);
  });

  it('sends NDJSON to those that do not ask for events', async () => {
    const id = await start(HELLO);
    const { headers, text } = await app.fetch(`${PATH}/${id}/events`, as(key));
    expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ type }) => type)).toEqual(['execution', 'stdout', 'result', undefined]);
    expect(lines[1]).toEqual({ seq: 1, type: 'stdout', data: { text: 'hello\n' } });
    expect(lines[3]).toEqual({ end: { status: 'succeeded' } });
  });

  it('sends the result when the output is no longer kept', async () => {
    const { id } = expectStatus(200, await app.post(PATH, HELLO, as(key))).body.data;
    const late = await follow(id, 7);
    await late.ended;
    expect(late.types).toEqual(['result', 'end']);
    expect(late.data('result').stdout).toBe('hello\n');
  });

  it('says that an execution was cancelled while it ran', async () => {
    const id = await start(SLEEPS);
    const following = await follow(id);
    await following.has('stdout');
    expectStatus(200, await app.call('POST', `${PATH}/${id}/cancel`, as(key)));
    await following.ended;
    expect(following.types).toEqual(['execution', 'stdout', 'result', 'end']);
    expect(following.data('result')).toMatchObject({ id, status: 'cancelled' });
  });

  it('answers 404 for an execution of another organization, and refuses other numbers and callers', async () => {
    const id = await start(HELLO);
    const other = await make.key(await make.person({ plan: 'pro' }), { scopes: ['sandbox:execute'] });
    const get = (by: CallOptions, of = id): Promise<Answer> => app.fetch(`${PATH}/${of}/events`, by);
    const codeOf = ({ status, body }: Answer): unknown[] => [status, body.error.code];
    expect(codeOf(await get(as(other)))).toEqual([404, 'execution_not_found']);
    expect(codeOf(await get(as(key), 'exe_00000000000000000000000000'))).toEqual([404, 'execution_not_found']);
    expect(codeOf(await get(asked({ 'last-event-id': 'x' })))).toEqual([400, 'invalid_request']);
    expect(codeOf(await get({}))).toEqual([401, 'missing_api_key']);
    const narrow = await make.key(person, { scopes: ['projects:read'] });
    expect(codeOf(await get(as(narrow)))).toEqual([403, 'insufficient_scopes']);
  });

  it('bounds the streams of an organization, and frees the place of a caller that leaves', async () => {
    const poor = await make.key(await make.person(), { scopes: ['sandbox:execute'] });
    const { id } = expectStatus(202, await app.post(PATH, { ...SLEEPS, wait: false }, as(poor))).body.data;
    // Two executions at once, and eight further streams.
    const streams = await Promise.all(Array.from({ length: 10 }, () => follow(id, undefined, poor)));
    expect(streams.map(({ response }) => response.status)).toEqual(streams.map(() => 200));
    const refused = await app.fetch(`${PATH}/${id}/events`, as(poor));
    expect([refused.status, refused.body.error]).toEqual([
      429,
      expect.objectContaining({
        code: 'concurrency_limit_exceeded',
        details: { policy: 'execution_streams', limit: 10, remaining: 0 },
      }),
    ]);
    streams[0]!.leave();
    await eventually(async () => (await follow(id, undefined, poor)).response.status === 200, 'a place is free');
    expectStatus(200, await app.call('POST', `${PATH}/${id}/cancel`, as(poor)));
  });
});
