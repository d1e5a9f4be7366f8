import { as, expectStatus, Make, type Person } from '../support/make.js';
import { type Answer, useApp } from '../support/test-app.js';
import { addSwarm, endLease } from './support.js';

const codeOf = (answer: Answer): string => `${answer.status} ${answer.body?.error?.code ?? ''}`.trim();
const faultsOf = (answer: Answer): string[] =>
  answer.body.error.details.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`);

describe('the board of a swarm', () => {
  const app = useApp();
  const make = new Make(app);
  let owner: Person;
  let other: Person;
  let key: string;
  let swarm: string;

  beforeAll(async () => {
    owner = await make.person({ plan: 'builder' });
    other = await make.person({ plan: 'builder' });
    key = await make.key(owner, { scopes: ['agents:read', 'agents:run'] });
  });
  beforeEach(async () => {
    swarm = await addSwarm(app, make, owner.organization.id);
  });

  const post = (path: string, body: object = {}, caller: Person | string = key): Promise<Answer> =>
    app.post(`/api/v1${path}`, body, as(caller));
  const add = async (input: object = {}): Promise<any> =>
    expectStatus(201, await post(`/swarms/${swarm}/tasks`, { title: 'a task', ...input })).body.data;
  const claim = async (id: string, input: object = {}): Promise<any> =>
    expectStatus(200, await post(`/tasks/${id}/claim`, input)).body.data;
  const shown = async (id: string): Promise<any> =>
    expectStatus(200, await app.fetch(`/api/v1/tasks/${id}`, as(key))).body.data;
  const statesOf = (...ids: string[]): Promise<string[]> =>
    Promise.all(ids.map(async (id) => (await shown(id)).state as string));
  const next = async (input: object = {}): Promise<any> =>
    expectStatus(200, await post(`/swarms/${swarm}/tasks/claim`, input)).body.data;

  it('opens tasks when all that they need is done', async () => {
    const one = await add({ description: 'with more text', labels: ['research'] });
    const two = await add();
    const both = await add({ needs: [one.id, two.id] });
    expect(one).toMatchObject({
      swarm_id: swarm,
      state: 'open',
      needs: [],
      labels: ['research'],
      fence: 0,
      attempts: 0,
    });
    expect(both).toMatchObject({ state: 'blocked', needs: [one.id, two.id], max_attempts: 3 });
    const held = await claim(one.id, { name: 'worker-1', lease_seconds: 600 });
    expect(held).toMatchObject({ state: 'claimed', fence: 1, attempts: 1, claimed_by: { name: 'worker-1' } });
    expect(Date.parse(held.lease_expires_at as string) - Date.now()).toBeGreaterThan(500_000);
    const done = expectStatus(200, await post(`/tasks/${one.id}/complete`, { fence: 1, result: { found: [1, null] } }));
    expect(done.body.data).toMatchObject({ state: 'done', result: { found: [1, null] } });
    expect(done.body.data).not.toHaveProperty('claimed_by');
    expect(await statesOf(both.id)).toEqual(['blocked']);
    await claim(two.id);
    expectStatus(200, await post(`/tasks/${two.id}/complete`, { fence: 1 }));
    expect(await statesOf(both.id)).toEqual(['open']);
    const late = await add({ needs: [one.id, two.id] });
    expect(late.state).toBe('open');
  });

  it('lists tasks, oldest first and page by page, and by state', async () => {
    const tasks = [await add(), await add(), await add()];
    await claim(tasks[1].id);
    const page = async (query: string): Promise<any> =>
      expectStatus(200, await app.fetch(`/api/v1/swarms/${swarm}/tasks?${query}`, as(key))).body;
    const first = await page('limit=2');
    const second = await page(`limit=2&cursor=${first.meta.next_cursor}`);
    expect([...first.data, ...second.data].map(({ id }: any) => id)).toEqual(tasks.map(({ id }) => id));
    expect((await page('state=claimed')).data).toMatchObject([{ id: tasks[1].id }]);
    expect(codeOf(await app.fetch(`/api/v1/swarms/${swarm}/tasks?state=x`, as(key)))).toBe('400 invalid_request');
  });

  it('gives a task to one of several callers', async () => {
    const { id } = await add();
    const answers = await Promise.all(Array.from({ length: 12 }, () => post(`/tasks/${id}/claim`)));
    expect(answers.map(codeOf).sort()).toEqual(['200', ...Array<string>(11).fill('409 task_already_claimed')]);
    expect(codeOf(await post(`/tasks/${id}/complete`, { fence: 2 }))).toBe('409 task_not_claimed');
  });

  it('gives out the oldest open task that fits the labels, and null when there is none', async () => {
    const special = await add({ labels: ['gpu', 'eu'] });
    const plain = await add();
    expect(await next({ labels: ['gpu'] })).toMatchObject({ id: plain.id });
    expect(await next({ labels: ['gpu'] })).toBeNull();
    expect(await next({ labels: ['eu', 'gpu', 'x'], name: 'w' })).toMatchObject({ id: special.id });
    expect(await next()).toBeNull();
    await endLease(make, special.id);
    expect(await next()).toMatchObject({ id: special.id, fence: 2, attempts: 2 });
  });

  it('ends claims that are not renewed, and fails a task after its last attempt', async () => {
    const task = await add({ max_attempts: 2 });
    const dependant = await add({ needs: [task.id] });
    const further = await add({ needs: [dependant.id] });
    await claim(task.id);
    await endLease(make, task.id);
    for (const path of ['renew', 'complete', 'release'])
      expect(codeOf(await post(`/tasks/${task.id}/${path}`, { fence: 1 }))).toBe('409 task_not_claimed');
    await app.runSchedule('swarm-leases');
    expect(await shown(task.id)).toMatchObject({ state: 'open', attempts: 1, error: { code: 'lease_expired' } });
    expect((await claim(task.id)).fence).toBe(2);
    const renewed = await post(`/tasks/${task.id}/renew`, { fence: 2, lease_seconds: 3_600 });
    expect(Date.parse(renewed.body.data.lease_expires_at as string) - Date.now()).toBeGreaterThan(3_500_000);
    await endLease(make, task.id);
    await app.runSchedule('swarm-leases');
    expect(await statesOf(task.id, dependant.id, further.id)).toEqual(['failed', 'cancelled', 'cancelled']);
    expect(codeOf(await post(`/tasks/${task.id}/claim`))).toBe('409 task_not_open');
  });

  it('tries a failed task again, unless the failure is final', async () => {
    const task = await add();
    const dependant = await add({ needs: [task.id] });
    await claim(task.id);
    const first = await post(`/tasks/${task.id}/fail`, { fence: 1, message: 'No answer.', code: 'page_unavailable' });
    expect(first.body.data).toMatchObject({ state: 'open', attempts: 1, cancelled_tasks: [] });
    expect(first.body.data.error).toEqual({ code: 'page_unavailable', message: 'No answer.' });
    await claim(task.id);
    const last = await post(`/tasks/${task.id}/fail`, { fence: 2, message: 'It cannot be done.', final: true });
    expect(last.body.data).toMatchObject({ state: 'failed', cancelled_tasks: [dependant.id] });
    expect(await shown(dependant.id)).toMatchObject({ state: 'cancelled', error: { code: 'need_failed' } });
    expect(faultsOf(await post(`/swarms/${swarm}/tasks`, { title: 'late', needs: [task.id] }))).toEqual([
      'needs[0] can_be_done',
    ]);
  });

  it('gives back the attempt of a claim that is released', async () => {
    const { id } = await add({ max_attempts: 1 });
    await claim(id);
    const released = expectStatus(200, await post(`/tasks/${id}/release`, { fence: 1 })).body.data;
    expect(released).toMatchObject({ state: 'open', attempts: 0, fence: 1 });
    expect((await claim(id)).fence).toBe(2);
    expect(codeOf(await post(`/tasks/${id}/release`, { fence: 1 }))).toBe('409 task_not_claimed');
  });

  it('refuses needs that make a cycle, and those of other swarms', async () => {
    const one = await add();
    const two = await add({ needs: [one.id] });
    const three = await add({ needs: [two.id] });
    const cycle = await post(`/tasks/${one.id}/needs`, { needs: [three.id] });
    expect([codeOf(cycle), ...faultsOf(cycle)]).toEqual(['400 invalid_request', 'needs is_acyclic']);
    expect(await shown(one.id)).toMatchObject({ state: 'open', needs: [] });
    const free = await add();
    const blocked = expectStatus(200, await post(`/tasks/${free.id}/needs`, { needs: [three.id] })).body.data;
    expect(blocked).toMatchObject({ state: 'blocked', needs: [three.id] });
    const elsewhere = await addSwarm(app, make, owner.organization.id);
    const foreign = await post(`/swarms/${elsewhere}/tasks`, { title: 'x', needs: [one.id] });
    expect(faultsOf(foreign)).toEqual(['needs[0] is_task']);
    await claim(one.id);
    expect(codeOf(await post(`/tasks/${one.id}/needs`, { needs: [free.id] }))).toBe('400 invalid_request');
    const lone = await add();
    expect(codeOf(await post(`/tasks/${one.id}/needs`, { needs: [lone.id] }))).toBe('409 task_not_open');
    expect(await shown(one.id)).toMatchObject({ state: 'claimed', needs: [] });
  });

  it('refuses bodies that break a rule', async () => {
    const refused = async (body: object): Promise<string[]> => faultsOf(await post(`/swarms/${swarm}/tasks`, body));
    expect(await refused({})).toEqual(['title is_string']);
    expect(await refused({ title: 'a\nb', labels: ['A'], needs: 'x', max_attempts: 11 })).toHaveLength(4);
    expect(await refused({ title: 'x', description: 'a\0b' })).toEqual(['description is_storable_text']);
    const { id } = await add();
    expect(codeOf(await post(`/tasks/${id}/claim`, { lease_seconds: 9 }))).toBe('400 invalid_request');
    expect(codeOf(await post(`/tasks/${id}/claim`, { lease_seconds: 3_601 }))).toBe('400 invalid_request');
    await claim(id);
    const complete = async (result: unknown): Promise<string> =>
      codeOf(await post(`/tasks/${id}/complete`, { fence: 1, result }));
    expect(await complete('x'.repeat(65_535))).toBe('400 invalid_request');
    expect(await complete({ 'a\0': 1 })).toBe('400 invalid_request');
    expect(await complete(['\ud800'])).toBe('400 invalid_request');
    expect(codeOf(await post(`/tasks/${id}/complete`, { result: 1 }))).toBe('400 invalid_request');
    expect(await complete('x'.repeat(65_534))).toBe('200');
  });

  it('limits the results of a swarm to 16 MiB together', async () => {
    const { id } = await add();
    await claim(id);
    const full = 16 * 1_048_576 - 3;
    await make.sql('UPDATE swarms SET result_bytes = $2 WHERE id = $1', [swarm, full]);
    const complete = (result: string): Promise<Answer> => post(`/tasks/${id}/complete`, { fence: 1, result });
    expect(faultsOf(await complete('xy'))).toEqual(['result max_result_bytes']);
    expect(await statesOf(id)).toEqual(['claimed']);
    expectStatus(200, await complete('x'));
  });

  it('limits a swarm to 1,000 tasks', async () => {
    await make.sql(
      `INSERT INTO swarm_tasks
         (id, swarm_id, org_id, title, state, open_needs, labels, max_attempts, created_at, updated_at)
       SELECT 'swt_' || $1 || n, $1, $2, 'x', 'done', 0, '{}', 3, now(), now() FROM generate_series(1, 999) n`,
      [swarm, owner.organization.id],
    );
    await add();
    expect(faultsOf(await post(`/swarms/${swarm}/tasks`, { title: 'x' }))).toEqual([' max_tasks']);
  });

  it('takes no tasks when the swarm is over', async () => {
    const over = await addSwarm(app, make, owner.organization.id, 'cancelled');
    expect(codeOf(await post(`/swarms/${over}/tasks`, { title: 'x' }))).toBe('409 swarm_already_over');
    expect(expectStatus(200, await post(`/swarms/${over}/tasks/claim`)).body.data).toBeNull();
  });

  it('makes a stalled swarm run again when a task is added', async () => {
    await make.sql("UPDATE swarms SET state = 'stalled' WHERE id = $1", [swarm]);
    await add();
    expect(await make.sql('SELECT state FROM swarms WHERE id = $1', [swarm])).toEqual([{ state: 'running' }]);
  });

  it('answers a retry with the same claim, and a rehearsal changes nothing', async () => {
    const { id } = await add();
    const retry = as(key, { headers: { 'idempotency-key': `claim-${id}` } });
    const first = expectStatus(200, await app.post(`/api/v1/tasks/${id}/claim`, {}, retry)).body.data;
    expect(expectStatus(200, await app.post(`/api/v1/tasks/${id}/claim`, {}, retry)).body.data).toEqual(first);
    const rehearsal = as(key, { headers: { 'dry-run': 'true' } });
    expectStatus(200, await app.post(`/api/v1/tasks/${id}/complete`, { fence: 1 }, rehearsal));
    expect(await statesOf(id)).toEqual(['claimed']);
  });

  it('is closed on plans without swarms, but keeps and completes what it has', async () => {
    const held = await add();
    const waiting = await add();
    await claim(held.id);
    await make.plan(owner.organization.id, 'free');
    try {
      expect(codeOf(await post(`/swarms/${swarm}/tasks`, { title: 'x' }))).toBe('403 feature_not_in_plan');
      expect(codeOf(await post(`/swarms/${swarm}/tasks/claim`))).toBe('403 feature_not_in_plan');
      expect(codeOf(await post(`/tasks/${waiting.id}/claim`))).toBe('403 feature_not_in_plan');
      expectStatus(200, await post(`/tasks/${held.id}/complete`, { fence: 1 }));
      expect(await statesOf(held.id, waiting.id)).toEqual(['done', 'open']);
    } finally {
      await make.plan(owner.organization.id, 'builder');
    }
  });

  it('answers other tenants as if it did not exist, and asks for the scopes', async () => {
    const { id } = await add();
    const reader = await make.key(owner, { scopes: ['agents:read'] });
    const unrelated = await make.key(owner, { scopes: ['projects:read'] });
    const foreign = await make.key(other);
    const writes: [string, object][] = [
      [`/swarms/${swarm}/tasks`, { title: 'x' }],
      [`/swarms/${swarm}/tasks/claim`, {}],
      [`/tasks/${id}/needs`, { needs: ['swt_x'] }],
      [`/tasks/${id}/claim`, {}],
      [`/tasks/${id}/renew`, { fence: 1 }],
      [`/tasks/${id}/complete`, { fence: 1 }],
      [`/tasks/${id}/fail`, { fence: 1, message: 'x' }],
      [`/tasks/${id}/release`, { fence: 1 }],
    ];
    for (const [path, body] of writes) {
      const missing = path.startsWith('/swarms') ? '404 swarm_not_found' : '404 task_not_found';
      expect([path, codeOf(await post(path, body, foreign))]).toEqual([path, missing]);
      expect([path, codeOf(await post(path, body, reader))]).toEqual([path, '403 insufficient_scopes']);
      expect([path, codeOf(await app.post(`/api/v1${path}`, body))]).toEqual([path, '401 missing_api_key']);
    }
    for (const path of [`/swarms/${swarm}/tasks`, `/tasks/${id}`]) {
      const missing = path.startsWith('/swarms') ? '404 swarm_not_found' : '404 task_not_found';
      expect(codeOf(await app.fetch(`/api/v1${path}`, as(foreign)))).toBe(missing);
      expect(codeOf(await app.fetch(`/api/v1${path}`, as(unrelated)))).toBe('403 insufficient_scopes');
      expect(codeOf(await app.fetch(`/api/v1${path}`))).toBe('401 missing_api_key');
    }
    expect(await statesOf(id)).toEqual(['open']);
  });
});
