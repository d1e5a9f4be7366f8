import { TaskAlreadyClaimed } from '../../src/modules/ops/ops.errors.js';
import { OpsTasksService } from '../../src/modules/ops/tasks/ops-tasks.service.js';
import { eventually, useApp } from '../support/test-app.js';

const TOKEN = 'an-ops-token-for-the-tests';
const AS_OPERATOR = { headers: { authorization: `Bearer ${TOKEN}` } };
const UNKNOWN = 'tsk_01jd3m8yeqf5rb0xkq5ym8s6tn';

describe('tasks of operators', () => {
  const app = useApp({ OPS_TOKEN: TOKEN });
  const post = (path: string, body: object) => app.post(`/ops/tasks/${path}`, body, AS_OPERATOR);
  const get = async (id: string) => (await app.fetch(`/ops/tasks/${id}`, AS_OPERATOR)).body;
  let last = 0;
  const open = async (overrides: object = {}): Promise<string> =>
    (await app.post('/ops/alert', { title: `Fault ${++last}`, ...overrides }, AS_OPERATOR)).body.tasks[0].id;

  it('go from open to claimed to resolved, and keep what happened', async () => {
    const id = await open();
    const claimed = await post(`${id}/claim`, { agent: 'ada', leaseSeconds: 60 });
    expect(claimed.status).toBe(200);
    expect(claimed.body).toMatchObject({ id, status: 'claimed', claimedBy: 'ada', claimExpiresAt: expect.any(String) });
    expect((await post(`${id}/notes`, { agent: 'ada', text: 'The disk was full.' })).status).toBe(200);
    const longer = await post(`${id}/heartbeat`, { agent: 'ada', leaseSeconds: 600 });
    expect(Date.parse(longer.body.claimExpiresAt)).toBeGreaterThan(Date.parse(claimed.body.claimExpiresAt));
    expect((await post(`${id}/resolve`, { agent: 'ada', resolution: 'Made room.' })).body).toMatchObject({
      status: 'resolved',
      resolvedBy: 'ada',
      resolution: 'Made room.',
    });

    const history = await get(id);
    expect(history.events.map(({ kind, actor }: any) => [kind, actor])).toEqual([
      ['opened', 'alert'],
      ['claimed', 'ada'],
      ['noted', 'ada'],
      ['resolved', 'ada'],
    ]);
    expect(history).not.toHaveProperty('claimedBy');
  });

  it('are held by one agent, who may claim again', async () => {
    const id = await open();
    const { claimExpiresAt } = (await post(`${id}/claim`, { agent: 'ada', leaseSeconds: 60 })).body;
    for (const path of ['claim', 'heartbeat', 'release']) {
      expect((await post(`${id}/${path}`, { agent: 'bob' })).body.error).toMatchObject({
        status: 409,
        code: 'task_already_claimed',
        type: 'conflict_error',
        details: { holder: 'ada', expiresAt: claimExpiresAt },
      });
    }
    expect((await post(`${id}/resolve`, { agent: 'bob', resolution: 'x' })).body.error).toMatchObject({
      status: 409,
      code: 'task_already_claimed',
    });
    expect((await post(`${id}/claim`, { agent: 'ada', leaseSeconds: 90 })).status).toBe(200);
    expect((await get(id)).events).toHaveLength(2);
  });

  it('answer a repeated call with the same Idempotency-Key as before', async () => {
    const id = await open();
    const again = { headers: { ...AS_OPERATOR.headers, 'idempotency-key': `claim-${id}` }, from: '198.18.0.9' };
    const [first, second] = [
      await app.post(`/ops/tasks/${id}/claim`, { agent: 'ada', leaseSeconds: 60 }, again),
      await app.post(`/ops/tasks/${id}/claim`, { agent: 'ada', leaseSeconds: 60 }, again),
    ];
    expect([first.status, second.status, second.headers.get('idempotency-replayed')]).toEqual([200, 200, 'true']);
    expect(first.body).toMatchObject({ id, claimedBy: 'ada' });
    expect(second.body).toEqual(first.body);
  });

  it('are free for others when they are released', async () => {
    const id = await open();
    await post(`${id}/claim`, { agent: 'ada' });
    expect((await post(`${id}/release`, { agent: 'ada' })).body).toMatchObject({ status: 'open' });
    expect((await post(`${id}/heartbeat`, { agent: 'ada' })).body.error).toMatchObject({
      status: 409,
      code: 'task_not_claimed',
    });
    expect((await post(`${id}/release`, { agent: 'ada' })).body.error).toMatchObject({
      status: 409,
      code: 'task_not_claimed',
    });
    expect((await post(`${id}/claim`, { agent: 'bob' })).body).toMatchObject({ claimedBy: 'bob' });
  });

  it('are open again when a claim was not renewed in time', async () => {
    const id = await open();
    await post(`${id}/claim`, { agent: 'ada', leaseSeconds: 1 });
    await eventually(
      async () => {
        await app.runSchedule('expired-claims');
        return (await get(id)).status === 'open';
      },
      'the claim is over',
      10_000,
    );
    expect((await get(id)).events.at(-1)).toMatchObject({
      kind: 'claim_expired',
      actor: 'sweep',
      details: { holder: 'ada' },
    });
    expect((await post(`${id}/claim`, { agent: 'bob' })).status).toBe(200);
  });

  it('can be resolved once without a claim', async () => {
    const id = await open();
    expect((await post(`${id}/resolve`, { agent: 'bob', resolution: 'x' })).status).toBe(200);
    for (const [path, more] of [
      ['claim', {}],
      ['heartbeat', {}],
      ['release', {}],
      ['resolve', { resolution: 'y' }],
      ['silence', { seconds: 5 }],
    ] as const) {
      expect((await post(`${id}/${path}`, { agent: 'ada', ...more })).body.error).toMatchObject({
        status: 409,
        code: 'task_already_resolved',
        details: { resolvedBy: 'bob' },
      });
    }
    expect((await post(`${id}/notes`, { agent: 'ada', text: 'For next time.' })).status).toBe(200);
  });

  it('end with their alert, even when they are claimed', async () => {
    const id = await open({ dedupKey: 'ends' });
    await post(`${id}/claim`, { agent: 'ada' });
    await app.post('/ops/alert', { title: 'x', dedupKey: 'ends', status: 'resolved' }, AS_OPERATOR);
    expect(await get(id)).toMatchObject({ status: 'resolved', resolvedBy: 'alert' });
  });

  it('do not count as unclaimed while they are silenced', async () => {
    const id = await open({ severity: 'info' });
    const oldest = async (): Promise<number> =>
      Number(
        /^ops_task_oldest_unclaimed_seconds\{severity="info"\} (\S+)$/m.exec((await app.fetch('/metrics')).text)?.[1],
      );
    await eventually(async () => (await oldest()) > 0, 'it counts');
    expect((await post(`${id}/silence`, { agent: 'ada', seconds: 600 })).body.silencedUntil).toEqual(
      expect.any(String),
    );
    expect(await oldest()).toBe(0);
  });

  it('are listed by status and tag, the newest first, page by page', async () => {
    const ids = [
      await open({ runbookTag: 'listed' }),
      await open({ runbookTag: 'listed' }),
      await open({ runbookTag: 'listed' }),
    ];
    await post(`${ids[1]!}/claim`, { agent: 'ada' });
    const list = async (query: string) => (await app.fetch(`/ops/tasks?runbookTag=listed${query}`, AS_OPERATOR)).body;
    expect((await list('')).tasks.map(({ id }: any) => id)).toEqual([...ids].reverse());
    expect((await list('&status=claimed')).tasks).toHaveLength(1);
    const page = await list('&limit=2');
    expect(page.tasks).toHaveLength(2);
    expect((await list(`&limit=2&cursor=${page.nextCursor as string}`)).tasks.map(({ id }: any) => id)).toEqual([
      ids[0],
    ]);
    expect(await list('&status=resolved')).toEqual({ tasks: [] });
  });

  it('of two thousand claims that race for it, ten at once, give each task to one agent', async () => {
    const TASKS = 200;
    const body = {
      version: '4',
      alerts: Array.from({ length: TASKS }, (_, index) => ({
        status: 'firing',
        labels: { alertname: 'Race' },
        startsAt: '2026-11-21T10:00:00Z',
        fingerprint: `ace${index.toString(16)}`,
      })),
    };
    const ids = (await app.post('/ops/alert', body, AS_OPERATOR)).body.tasks.map(({ id }: any) => id) as string[];
    expect(ids).toHaveLength(TASKS);
    const tasks = app.get(OpsTasksService);
    const wins = new Map<string, number>();
    const claim = async (id: string, agent: number): Promise<void> => {
      try {
        await tasks.claim(id, `agent-${agent}`, 600);
        wins.set(id, (wins.get(id) ?? 0) + 1);
      } catch (error) {
        expect(error).toBeInstanceOf(TaskAlreadyClaimed);
      }
    };
    for (const id of ids) await Promise.all(Array.from({ length: 10 }, (_, agent) => claim(id, agent)));
    expect([...wins.values()]).toEqual(Array.from({ length: TASKS }, () => 1));
  }, 240_000);

  it.each([
    ['claim', {}],
    ['claim', { agent: '' }],
    ['claim', { agent: 'a\nb' }],
    ['claim', { agent: 'a', leaseSeconds: 3601 }],
    ['claim', { agent: 'a', leaseSeconds: 0 }],
    ['claim', { agent: 'a', x: 1 }],
    ['heartbeat', {}],
    ['release', {}],
    ['resolve', { agent: 'a' }],
    ['resolve', { agent: 'a', resolution: ' ' }],
    ['notes', { agent: 'a' }],
    ['notes', { agent: 'a', text: 'x\u0000' }],
    ['silence', { agent: 'a', seconds: 604_801 }],
  ])('refuse a %s with %j', async (path, body) => {
    expect((await post(`${UNKNOWN}/${path}`, body)).body.error).toMatchObject({ status: 400, code: 'invalid_request' });
  });

  it.each(['status=done', 'limit=0', 'cursor=x', 'other=1'])('refuse to be listed by %s', async (query) => {
    expect((await app.fetch(`/ops/tasks?${query}`, AS_OPERATOR)).body.error).toMatchObject({
      status: 400,
      code: 'invalid_request',
    });
  });

  it('are not there when nobody has reported them', async () => {
    for (const id of [UNKNOWN, 'x', '%00', "'"])
      expect([400, 404]).toContain((await app.fetch(`/ops/tasks/${id}`, AS_OPERATOR)).status);
    for (const [path, body] of [
      ['claim', {}],
      ['heartbeat', {}],
      ['release', {}],
      ['resolve', { resolution: 'x' }],
      ['notes', { text: 'x' }],
      ['silence', { seconds: 1 }],
    ] as const) {
      expect((await post(`${UNKNOWN}/${path}`, { agent: 'a', ...body })).body.error).toMatchObject({
        status: 404,
        code: 'ops_task_not_found',
      });
    }
  });

  it('are closed to everybody without the token', async () => {
    const id = await open();
    expect((await app.fetch('/ops/tasks')).status).toBe(401);
    expect((await app.fetch(`/ops/tasks/${id}`)).status).toBe(401);
    for (const path of ['claim', 'heartbeat', 'release', 'resolve', 'notes', 'silence'])
      expect((await app.post(`/ops/tasks/${id}/${path}`, { agent: 'a' })).status).toBe(401);
  });
});
