import { Queues } from '../../src/platform/queues/queues.js';
import { as, expectStatus, Make } from '../support/make.js';
import { onThisMachine } from '../support/patience.js';
import { type Answer, eventually, useApp, WITH_SANDBOX } from '../support/test-app.js';

jest.setTimeout(onThisMachine(60_000));

const PATH = '/api/v1/sandbox/sessions';

describe('the places for sessions', () => {
  const app = useApp({
    ...WITH_SANDBOX,
    SANDBOX_CONCURRENCY: '2',
    SANDBOX_SESSIONS: '6',
    SANDBOX_SESSIONS_MEMORY_MIB: '4096',
  });
  const make = new Make(app);
  const keyOf = async (): Promise<string> => make.key(await make.person({ plan: 'pro' }));
  const create = (key: string, more: object = {}): Promise<Answer> =>
    app.post(PATH, { language: 'python', queue_timeout_ms: 600, ...more }, as(key));
  const started = async (key: string): Promise<string> => expectStatus(201, await create(key)).body.data.id as string;

  it('are not taken by one organization, whose plan allows more, so that another finds room at once', async () => {
    const [first, second] = [await keyOf(), await keyOf()];
    const held = [await started(first), await started(first), await started(first)];
    const refused = await create(first);
    expect([refused.status, refused.body.error.code]).toEqual([503, 'sandbox_unavailable']);
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(refused.body.error).toMatchObject({
      details: { max_wait_seconds: 0.6, live_sessions: 3 },
      hint: expect.stringContaining('End a session'),
    });

    const theirs = await started(second);
    // Three are taken by the first, one by the second: another one would leave it less free than it has.
    expect((await create(second)).status).toBe(503);
    expectStatus(200, await app.call('DELETE', `${PATH}/${held[0]!}`, as(first)));
    // What the first gives up goes to the second, and not back to the first.
    expect((await create(first)).status).toBe(503);
    await started(second);
    expect((await create(first)).status).toBe(503);
    // Nothing that was held has ended for it.
    for (const id of held.slice(1))
      expect((await app.fetch(`${PATH}/${id}`, as(first))).body.data.ended_at).toBeUndefined();
    const answer = await app.post(`${PATH}/${theirs}/runs`, { code: 'print(1)' }, as(second));
    expect(expectStatus(200, answer).body.data.stdout).toBe('1\n');
  });

  it('are waited for as long as the caller says, until one of its own ends', async () => {
    const key = await keyOf();
    const held = await started(key);
    expect((await create(key)).status).toBe(503);
    const patient = create(key, { queue_timeout_ms: 60_000 });
    const isStarting = async (): Promise<boolean> =>
      (await app.fetch(`${PATH}?status=starting`, as(key))).body.data.length === 1;
    await eventually(isStarting, 'it waits');
    expectStatus(200, await app.call('DELETE', `${PATH}/${held}`, as(key)));
    expectStatus(201, await patient);
  });

  it('wake those that wait for them, which need not look again and again', async () => {
    const key = await keyOf();
    const held = await started(key);
    while ((await create(key)).status === 201);
    const patient = create(key, { queue_timeout_ms: 60_000 });
    const queue = app.get(Queues).named('sandbox-session-start');
    await eventually(async () => (await queue.getDelayed()).length === 1, 'it waits');
    // It would not look by itself before its time is over.
    await eventually(async () => {
      const [waiting] = await queue.getDelayed();
      const isDelayed = await waiting?.changeDelay(100_000).then(
        () => true,
        () => false,
      );
      return isDelayed ?? false;
    }, 'it waits for long');
    expectStatus(200, await app.call('DELETE', `${PATH}/${held}`, as(key)));
    expectStatus(201, await patient);
  });

  it.each([0, 300_001, 1.5, 'soon', null])('are not waited for %p ms: 400', async (value) => {
    const { status, body } = await create(await keyOf(), { queue_timeout_ms: value });
    expect([status, body.error.details[0].path]).toEqual([400, 'queue_timeout_ms']);
  });
});
