import { SandboxMetrics } from '../../src/modules/sandbox/metrics/sandbox.metrics.js';
import { EventStream } from '../support/event-stream.js';
import { as, expectStatus, Make, type Person } from '../support/make.js';
import { onThisMachine } from '../support/patience.js';
import { type Answer, type CallOptions, eventually, useApp, WITH_SANDBOX } from '../support/test-app.js';

jest.setTimeout(onThisMachine(60_000));

const PATH = '/api/v1/sandbox/sessions';
const EXECUTIONS = '/api/v1/sandbox/executions';
const COUNTS = 'import time\nfor n in range(4):\n    print(n, flush=True)\n    time.sleep(0.3)';
const SLEEPS = 'import time\nprint("began", flush=True)\ntime.sleep(50)';

const app = useApp({ ...WITH_SANDBOX, SANDBOX_CONCURRENCY: '2', SANDBOX_SESSIONS: '6' });
const make = new Make(app);
let person: Person;
let key: string;
const opened: EventStream[] = [];

beforeAll(async () => {
  person = await make.person({ plan: 'pro' });
  key = await make.key(person, { scopes: ['sandbox:execute'] });
});
const live: string[] = [];
afterEach(async () => {
  for (const stream of opened.splice(0)) stream.leave();
  for (const id of live.splice(0)) expectStatus(200, await end(id));
});

async function session(): Promise<string> {
  const { id } = expectStatus(201, await app.post(PATH, { language: 'python' }, as(key))).body.data;
  live.push(id as string);
  return id as string;
}
const end = (id: string): Promise<Answer> => app.call('DELETE', `${PATH}/${id}`, as(key));
const begin = (id: string, code: string, more: object = {}, options?: CallOptions): Promise<Answer> =>
  app.post(`${PATH}/${id}/runs`, { code, wait: false, ...more }, as(key, options));
const begun = async (id: string, code: string, more?: object): Promise<string> =>
  expectStatus(202, await begin(id, code, more)).body.data.id as string;
const read = async (id: string): Promise<any> =>
  expectStatus(200, await app.fetch(`${EXECUTIONS}/${id}`, as(key))).body.data;
const cancel = (id: string): Promise<Answer> => app.call('POST', `${EXECUTIONS}/${id}/cancel`, as(key));
const becomes = (id: string, status: string): Promise<void> =>
  eventually(async () => (await read(id)).status === status, `it is ${status}`, onThisMachine(20_000));
const openAt = async (path: string, asked: Parameters<typeof EventStream.open>[2] = {}): Promise<EventStream> => {
  const stream = await EventStream.open(app, path, { ...asked, ...as(key, asked) });
  opened.push(stream);
  return stream;
};
const follow = (id: string, lastEventId?: number): Promise<EventStream> =>
  openAt(`${EXECUTIONS}/${id}/events`, lastEventId === undefined ? {} : { lastEventId });
const heldNow = (): Promise<number> =>
  app.fetch('/api/v1/billing/credits', as(person)).then((answer) => Number(expectStatus(200, answer).body.data.held));

describe('a run of a session that nobody waits for', () => {
  it('is answered with 202 at once, and ends as an execution', async () => {
    const id = await session();
    const answer = await begin(id, 'import time\ntime.sleep(1)\nx = 41\nprint("done")');
    const { data } = expectStatus(202, answer).body;
    expect(data).toMatchObject({ id: expect.stringMatching(/^exe_/), session_id: id, status: 'queued' });
    expect(data).not.toHaveProperty('stdout');
    await becomes(data.id as string, 'succeeded');
    expect(await read(data.id as string)).toMatchObject({ stdout: 'done\n', cost: expect.any(String) });
    const next = await app.post(`${PATH}/${id}/runs`, { code: 'print(x + 1)' }, as(key));
    expect(expectStatus(200, next).body.data.stdout).toBe('42\n');
  });

  it('may be a command, which runs in its turn', async () => {
    const id = await session();
    const first = await begun(id, 'import time\ntime.sleep(1)\nopen("note", "w").write("kept")');
    const body = { command: 'cat note; exit 3', wait: false };
    const command = expectStatus(202, await app.post(`${PATH}/${id}/shell`, body, as(key))).body.data.id as string;
    await becomes(command, 'failed');
    expect(await read(command)).toMatchObject({ stdout: 'kept', exit_code: 3 });
    expect((await read(first)).status).toBe('succeeded');
  });

  it('is followed from its start, and after a cut from the last event', async () => {
    const id = await session();
    const execution = await begun(id, COUNTS);
    const cut = await follow(execution);
    await cut.has('stdout');
    cut.leave();
    const { id: last } = cut.events.findLast(({ type }) => type === 'stdout')!;
    const rest = await follow(execution, last);
    await rest.ended;
    expect(cut.output('stdout') + rest.output('stdout')).toBe('0\n1\n2\n3\n');
    expect(rest.types).not.toContain('execution');
    expect(rest.data('result')).toMatchObject({ stdout: '0\n1\n2\n3\n', session_id: id });
    expect(rest.data('end')).toEqual({ status: 'succeeded' });
  });

  it('goes on when the caller of its own stream leaves', async () => {
    const id = await session();
    const stream = await openAt(`${PATH}/${id}/runs`, { method: 'POST', body: { code: COUNTS, wait: false } });
    await stream.has('stdout');
    stream.leave();
    const execution = stream.data('execution').id as string;
    await becomes(execution, 'succeeded');
    expect((await read(execution)).stdout).toBe('0\n1\n2\n3\n');
  });

  it('is cancelled while it runs and while it waits, and frees its place', async () => {
    const id = await session();
    const [runs, waits] = [await begun(id, SLEEPS), await begun(id, 'print("never")')];
    await becomes(runs, 'running');
    expectStatus(200, await cancel(waits));
    expect(await read(waits)).not.toHaveProperty('cost');
    expectStatus(200, await cancel(runs));
    expect(await read(runs)).toMatchObject({ status: 'cancelled', cost: expect.any(String) });
    await eventually(() => app.get(SandboxMetrics).running === 0, 'nothing runs');
    const after = await app.post(`${PATH}/${id}/runs`, { code: 'print(1)' }, as(key));
    expect(expectStatus(200, after).body.data.stdout).toBe('1\n');
    expect(await heldNow()).toBe(0);
  });

  it('is cancelled with its session: what runs is paid, and what waits costs nothing', async () => {
    const id = await session();
    const [runs, waits] = [await begun(id, SLEEPS), await begun(id, 'print("never")')];
    await becomes(runs, 'running');
    const following = await follow(waits);
    expectStatus(200, await end(live.pop()!));
    await Promise.all([becomes(runs, 'cancelled'), becomes(waits, 'cancelled')]);
    expect(await read(runs)).toMatchObject({ cost: expect.any(String) });
    expect(await read(waits)).not.toHaveProperty('cost');
    await following.ended;
    expect(following.data('end')).toEqual({ status: 'cancelled' });
    const late = await begin(id, 'print(1)');
    expect([late.status, late.body.error.code]).toEqual([409, 'sandbox_session_over']);
  });

  it('becomes cancelled when its turn does not come in time', async () => {
    const id = await session();
    const runs = await begun(id, SLEEPS);
    await becomes(runs, 'running');
    const late = await begun(id, 'print("never")', { queue_timeout_ms: 200 });
    await becomes(late, 'cancelled');
    expect(await read(late)).not.toHaveProperty('started_at');
    expectStatus(200, await cancel(runs));
  });

  it('is refused with 409 when 16 wait already, and then holds nothing', async () => {
    const id = await session();
    const runs = await begun(id, SLEEPS);
    await becomes(runs, 'running');
    for (let count = 0; count < 16; count++) await begun(id, 'print(1)');
    const refused = await begin(id, 'print(1)');
    expect([refused.status, refused.body.error.code]).toEqual([409, 'sandbox_session_busy']);
    expectStatus(200, await end(live.pop()!));
    await eventually(async () => (await heldNow()) === 0, 'nothing is held');
  });

  it('uses the places of its organization until it ends, and no longer', async () => {
    const small = await make.key(await make.person({ plan: 'free' }), { scopes: ['sandbox:execute'] });
    const { id } = expectStatus(201, await app.post(PATH, { language: 'python' }, as(small))).body.data;
    const start = (code: string): Promise<Answer> =>
      app.post(`${PATH}/${id}/runs`, { code, wait: false, queue_timeout_ms: 300 }, as(small));
    const answers: Answer[] = [];
    do answers.push(await start('import time\ntime.sleep(2)'));
    while (answers.at(-1)!.status === 202 && answers.length < 16);
    expect(answers.at(-1)!.body.error.code).toBe('concurrency_limit_exceeded');
    await eventually(async () => (await start('pass')).status === 202, 'its places are free again', 20_000);
    expectStatus(200, await app.call('DELETE', `${PATH}/${id}`, as(small)));
  });

  it('is unknown to other organizations, and so is its session', async () => {
    const id = await session();
    const execution = await begun(id, 'print(1)');
    const outsider = await make.key(await make.person({ plan: 'pro' }), { scopes: ['sandbox:execute'] });
    const asked = await app.post(`${PATH}/${id}/runs`, { code: 'print(1)', wait: false }, as(outsider));
    expect([asked.status, asked.body.error.code]).toEqual([404, 'sandbox_session_not_found']);
    const followed = await app.fetch(`${EXECUTIONS}/${execution}/events`, as(outsider));
    expect([followed.status, followed.body.error.code]).toEqual([404, 'execution_not_found']);
    await becomes(execution, 'succeeded');
  });

  it('needs a key with the scope, and `wait` is true or false', async () => {
    const id = await session();
    const weak = await make.key(person, { scopes: ['projects:read'] });
    const body = { code: 'print(1)', wait: false };
    expect((await app.post(`${PATH}/${id}/runs`, body)).status).toBe(401);
    expect((await app.post(`${PATH}/${id}/runs`, body, as(weak))).status).toBe(403);
    const refused = await begin(id, 'print(1)', { wait: 'no' });
    expect([refused.status, refused.body.error.details[0].path]).toEqual([400, 'wait']);
  });

  it('runs once for an idempotency key', async () => {
    const id = await session();
    const once = { headers: { 'idempotency-key': 'once' } };
    const code = 'open("log", "a").write("x")';
    const [first, again] = [await begin(id, code, {}, once), await begin(id, code, {}, once)];
    expect(expectStatus(202, again).body.data.id).toBe(expectStatus(202, first).body.data.id);
    await becomes(first.body.data.id as string, 'succeeded');
    const printed = await app.post(`${PATH}/${id}/runs`, { code: 'print(open("log").read())' }, as(key));
    expect(printed.body.data.stdout).toBe('x\n');
  });
});
