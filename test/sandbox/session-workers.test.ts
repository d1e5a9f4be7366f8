import { as, expectStatus, Make } from '../support/make.js';
import { onThisMachine } from '../support/patience.js';
import { ServiceProcess } from '../support/service-process.js';
import { type Answer, eventually, useApp } from '../support/test-app.js';

jest.setTimeout(onThisMachine(180_000));

const PATH = '/api/v1/sandbox/sessions';

describe('sessions in worker processes', () => {
  const app = useApp({}, 'api');
  const make = new Make(app);
  let key: string;

  beforeAll(async () => {
    key = await make.key(await make.person({ plan: 'pro' }));
  });
  afterEach(() => ServiceProcess.killAll());

  const startWorker = (): Promise<ServiceProcess> =>
    ServiceProcess.start({
      role: 'worker',
      env: {
        ...app.sharedSettings,
        DATA_DIR: app.dataDirectory,
        SANDBOX_CONCURRENCY: '1',
        SANDBOX_SESSIONS: '1',
      },
    });
  const create = async (): Promise<string> =>
    expectStatus(201, await app.post(PATH, { language: 'python' }, as(key))).body.data.id as string;
  const run = (id: string, code: string): Promise<Answer> => app.post(`${PATH}/${id}/runs`, { code }, as(key));
  const read = async (id: string): Promise<any> =>
    expectStatus(200, await app.fetch(`${PATH}/${id}`, as(key))).body.data;

  it('are on the worker that has room, end in order with it, and are lost when it dies', async () => {
    const [first, second] = await Promise.all([startWorker(), startWorker()]);
    // Each worker has one place, so each session is on another one.
    const ids = [await create(), await create()];
    for (const [index, id] of ids.entries()) expectStatus(200, await run(id, `x = ${index}`));
    for (const [index, id] of ids.entries()) expect((await run(id, 'print(x)')).body.data.stdout).toBe(`${index}\n`);
    expect(await Promise.all([first, second].map((each) => each.metric('sandbox_sessions_started_total')))).toEqual([
      1, 1,
    ]);

    // What runs may finish; then the session ends with a reason.
    const finishing = ids.map((id) => run(id, 'import time\ntime.sleep(1)\nprint("done")'));
    await eventually(
      async () => (await app.fetch('/api/v1/sandbox/executions', as(key))).body.data[1].status === 'running',
      'both run',
    );
    process.kill(first.pid, 'SIGTERM');
    for (const answer of await Promise.all(finishing))
      expect(expectStatus(200, answer).body.data.stdout).toBe('done\n');
    await first.ended;
    const states = await Promise.all(ids.map(read));
    const stopped = states.find(({ status }) => status === 'ended');
    expect(stopped).toMatchObject({ end_reason: 'worker_stopped' });
    expect((await run(stopped.id as string, 'print(x)')).body.error.code).toBe('sandbox_session_over');

    const alive = ids.find((id) => id !== stopped.id)!;
    const lost = run(alive, 'import time\ntime.sleep(60)');
    await eventually(
      async () => (await app.fetch('/api/v1/sandbox/executions', as(key))).body.data[0].status === 'running',
      'it runs',
    );
    process.kill(second.pid, 'SIGKILL');
    const answer = await lost;
    expect([answer.status, answer.body.error.code]).toEqual([503, 'sandbox_unavailable']);
    expect((await app.fetch('/api/v1/billing/credits', as(key))).body.data.held).toBe('0');
    await eventually(async () => (await read(alive)).status === 'lost', 'it is given up', 40_000);
    expect((await run(alive, 'print(x)')).body.error).toMatchObject({
      status: 409,
      code: 'sandbox_session_over',
      details: { status: 'lost', end_reason: 'worker_lost' },
    });
  });
});
