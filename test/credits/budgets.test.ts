import { randomUUID } from 'node:crypto';
import { PaidWorkService } from '../../src/modules/credits/paid-work.service.js';
import type { PaidWork, WorkEnd, WorkEstimate } from '../../src/modules/credits/paid-work.js';
import { Database } from '../../src/platform/database/database.js';
import { as, expectStatus, Make, type Person, send } from '../support/make.js';
import { type Answer, eventually, useApp, WITH_SANDBOX } from '../support/test-app.js';
import { faultsOf } from './support.js';

const app = useApp(WITH_SANDBOX);
const make = new Make(app);
const HOUR_MS = 3_600_000n;
const PATH = '/api/v1/billing/budgets';

const put = (subject: string, body: object, by: Person | string, options = {}): Promise<Answer> =>
  send(app, ['PUT', `${PATH}/${subject}`], body, as(by, options));
const work = (): PaidWorkService => app.get(PaidWorkService);
const hours = (orgId: string, subject: string, count: bigint): WorkEstimate => ({
  orgId,
  plan: 'free',
  meter: 'sandbox_compute',
  lines: [{ quantity: count * HOUR_MS }],
  subjects: [subject],
  key: randomUUID(),
});
const spend = async (orgId: string, subject: string, count: bigint): Promise<void> => {
  const { key, begunAt } = await work().begin(hours(orgId, subject, count));
  const usage = { source: 'test', sourceId: key, orgId, quantity: count * HOUR_MS, occurredAt: begunAt } as const;
  await work().end({ key, orgId }, [{ ...usage, meter: 'sandbox_compute' }]);
};
const codeOf = async (by: Promise<unknown>): Promise<unknown> =>
  by.then(
    () => 'ok',
    (error: unknown) => (error as { code?: string }).code,
  );

/** A person with a key of theirs, and its subject. */
async function keyed(): Promise<{ person: Person; orgId: string; key: string; subject: string }> {
  const person = await make.person();
  const key = await make.key(person);
  const { id } = expectStatus(200, await app.fetch('/api/v1/keys/current', as(key))).body.data;
  return { person, orgId: person.organization.id, key, subject: `key:${id}` };
}

afterEach(async () => {
  expect(await faultsOf(app.get(Database).manager)).toEqual([]);
});

describe('/api/v1/billing/budgets', () => {
  it('sets, returns, lists and deletes the budget of a key, and writes to the audit log', async () => {
    const { person, orgId, subject } = await keyed();
    const { data } = expectStatus(200, await put(subject, { window: 'month', limit: '2' }, person)).body;
    const now = new Date();
    expect(data).toEqual({
      subject,
      window: 'month',
      limit: '2',
      spent: '0',
      held: '0',
      available: '2',
      resets_at: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString(),
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    await spend(orgId, subject, 5n);
    const held = await work().begin(hours(orgId, subject, 3n));
    const figures = { spent: '0.5', held: '0.3', available: '1.2' };
    expect(expectStatus(200, await app.fetch(`${PATH}/${subject}`, as(person))).body.data).toMatchObject(figures);
    expect(expectStatus(200, await app.fetch(PATH, as(person))).body.data).toMatchObject([{ subject, ...figures }]);

    // A new limit keeps what was spent; another window begins with nothing spent.
    expect((await put(subject, { window: 'month', limit: '1' }, person)).body.data).toMatchObject({
      ...figures,
      available: '0.2',
    });
    const empty = { window: 'total', limit: '1', spent: '0', held: '0', available: '1' };
    expect((await put(subject, { window: 'total', limit: '1' }, person)).body.data).toMatchObject(empty);
    await work().abandon(held);

    expectStatus(204, await app.call('DELETE', `${PATH}/${subject}`, as(person)));
    expect(await app.fetch(`${PATH}/${subject}`, as(person))).toMatchObject({
      status: 404,
      body: { error: { code: 'budget_not_found' } },
    });
    const log = expectStatus(200, await app.fetch(`/api/v1/orgs/${orgId}/audit-log`, as(person))).body.data;
    expect(log.map(({ action }: { action: string }) => action)).toEqual(
      expect.arrayContaining(['budget.set', 'budget.deleted']),
    );
  });

  it.each([
    [{}],
    [{ window: 'week', limit: '1' }],
    [{ window: 'day', limit: 1 }],
    [{ window: 'day', limit: '-1' }],
    [{ window: 'day', limit: '1', other: 1 }],
  ])('returns 400 for %j', async (body) => {
    const { person, subject } = await keyed();
    expect((await put(subject, body, person)).body.error).toMatchObject({ code: 'invalid_request', status: 400 });
  });

  it('returns 400 for a subject that nothing can have, and 404 for a key that the caller cannot see', async () => {
    const { person } = await keyed();
    const other = await keyed();
    const body = { window: 'day', limit: '1' };
    expect((await put('team:a', body, person)).body.error).toMatchObject({
      code: 'invalid_request',
      details: [{ path: 'subject', in: 'path' }],
    });
    expect((await put(other.subject, body, person)).body.error.code).toBe('api_key_not_found');
  });

  it('limits a project of the organization, and returns 404 for any other', async () => {
    const { person, orgId, key } = await keyed();
    const other = await keyed();
    const projectOf = async (by: string): Promise<string> =>
      `project:${expectStatus(201, await app.post('/api/v1/projects', { name: 'Shop' }, as(by))).body.data.id}`;
    const [own, foreign] = [await projectOf(key), await projectOf(other.key)];
    const body = { window: 'total', limit: '0.3' };
    expect(expectStatus(200, await put(own, body, person)).body.data).toMatchObject({ subject: own, available: '0.3' });
    for (const subject of [foreign, 'project:prj_00000000000000000000000000'])
      expect(await put(subject, body, person)).toMatchObject({
        status: 404,
        body: { error: { code: 'budget_subject_not_found' } },
      });
    await spend(orgId, own, 2n);
    expect(await codeOf(work().begin(hours(orgId, own, 2n)))).toBe('budget_exceeded');
  });

  it('returns 401 without a key, and 403 without the scope, for another organization and for the role', async () => {
    const { person, subject, orgId } = await keyed();
    const body = { window: 'day', limit: '1' };
    expect((await send(app, ['PUT', `${PATH}/${subject}`], body, {})).status).toBe(401);
    const reader = await make.key(person, { scopes: ['billing:read'] });
    expect((await put(subject, body, reader)).body.error.code).toBe('insufficient_scopes');
    const blind = await make.key(person, { scopes: ['sandbox:execute'] });
    expect((await app.fetch(PATH, as(blind))).body.error.code).toBe('insufficient_scopes');
    const other = await make.person();
    expect((await app.fetch(PATH, as(other, { headers: { 'x-service-org': orgId } }))).status).toBe(403);
    expect((await app.fetch(`${PATH}/${subject}`, as(other))).body.error.code).toBe('budget_not_found');
  });
});

describe('a budget', () => {
  it('refuses work of its key that might exceed it, before credits do, and nothing else', async () => {
    const { person, orgId, key, subject } = await keyed();
    await put(subject, { window: 'day', limit: '0.0001' }, person);
    const run = { language: 'javascript', code: 'console.log(1)', timeout_ms: 30_000 };
    const headers = { headers: { 'x-service-org': orgId } };
    const refused = await app.post('/api/v1/sandbox/executions', run, as(key, headers));
    expect(refused.status).toBe(402);
    expect(refused.body.error).toMatchObject({
      type: 'insufficient_credits_error',
      code: 'budget_exceeded',
      details: { subject, window: 'day', limit: '0.0001', required: '0.000833334', available: '0.0001' },
      dashboard_url: expect.stringContaining('/billing'),
    });
    expect(refused.body.error.hint).toContain(refused.body.error.details.resets_at);
    const dry = await app.post(
      '/api/v1/sandbox/executions',
      run,
      as(key, { headers: { ...headers.headers, 'dry-run': 'true' } }),
    );
    expect(dry.status).toBe(402);
    const other = await make.key(person);
    expectStatus(200, await app.post('/api/v1/sandbox/executions', run, as(other, headers)));
    expectStatus(200, await put(subject, { window: 'day', limit: '1' }, person));
    expectStatus(200, await app.post('/api/v1/sandbox/executions', run, as(key, headers)));
    const { spent, held } = (await app.fetch(`${PATH}/${subject}`, as(person))).body.data;
    expect(Number(spent)).toBeGreaterThan(0);
    expect(held).toBe('0');
  });

  it('admits exactly what it covers when calls race', async () => {
    const { person, orgId, subject } = await keyed();
    await put(subject, { window: 'total', limit: '0.7' }, person);
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, () => codeOf(work().begin(hours(orgId, subject, 1n)))),
    );
    expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(7);
    expect(new Set(outcomes)).toEqual(new Set(['ok', 'budget_exceeded']));
  });

  it('bears no more than was held, and gives back what was not used', async () => {
    const { person, orgId, subject } = await keyed();
    await put(subject, { window: 'total', limit: '1' }, person);
    const { key, begunAt } = await work().begin(hours(orgId, subject, 4n));
    await work().end({ key, orgId }, [
      { source: 'test', sourceId: key, orgId, meter: 'sandbox_compute', quantity: 9n * HOUR_MS, occurredAt: begunAt },
    ]);
    const abandoned = await work().begin(hours(orgId, subject, 6n));
    expect(await codeOf(work().begin(hours(orgId, subject, 1n)))).toBe('budget_exceeded');
    await work().abandon(abandoned);
    expect((await app.fetch(`${PATH}/${subject}`, as(person))).body.data).toMatchObject({
      spent: '0.4',
      available: '0.6',
    });
  });

  it('counts work that is paid for elsewhere by its price, which is not held, charged or recorded', async () => {
    const { person, orgId, subject } = await keyed();
    const credits = async (): Promise<object> => {
      const { balance, held } = (await app.fetch('/api/v1/billing/credits', as(person))).body.data;
      return { balance, held };
    };
    const before = await credits();
    await put(subject, { window: 'total', limit: '1' }, person);
    const elsewhere = (count: bigint): WorkEstimate => ({ ...hours(orgId, subject, count), paidElsewhere: true });
    const end = (of: PaidWork, count: bigint): WorkEnd => ({
      work: of,
      meter: 'sandbox_compute',
      events: [
        {
          ...{ source: 'test', sourceId: of.key, orgId, meter: 'sandbox_compute' },
          ...{ quantity: count * HOUR_MS, occurredAt: of.begunAt },
        },
      ],
      paidElsewhere: true,
    });
    const budget = async (): Promise<object> => (await app.fetch(`${PATH}/${subject}`, as(person))).body.data;

    const works = [await work().begin(elsewhere(6n)), await work().begin(elsewhere(4n))] as const;
    expect(works[0].heldNano).toBe(0n);
    expect(await budget()).toMatchObject({ spent: '0', held: '1', available: '0' });
    expect(await credits()).toEqual(before);
    expect(await codeOf(work().begin(elsewhere(1n)))).toBe('budget_exceeded');
    expect(await faultsOf(app.get(Database).manager)).toEqual([]);

    // Twice ends once, and more than is held counts as what is held.
    expect(await work().endAll([end(works[0], 2n), end(works[1], 9n)])).toEqual([0n, 0n]);
    await work().endAll([end(works[0], 5n)]);
    expect(await budget()).toMatchObject({ spent: '0.6', held: '0', available: '0.4' });
    await work().abandon(await work().begin(elsewhere(4n)));
    expect(await budget()).toMatchObject({ spent: '0.6', held: '0', available: '0.4' });
    expect(await credits()).toEqual(before);
    expect(await make.sql('SELECT 1 FROM usage_events WHERE org_id = $1', [orgId])).toEqual([]);
    expect(await make.sql("SELECT 1 FROM ledger_entries WHERE org_id = $1 AND account = 'revenue'", [orgId])).toEqual(
      [],
    );
  });

  it('admits exactly what it covers when work that is charged and work that is not race', async () => {
    const { person, orgId, subject } = await keyed();
    await put(subject, { window: 'total', limit: '0.7' }, person);
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        codeOf(work().begin({ ...hours(orgId, subject, 1n), paidElsewhere: index % 2 === 0 })),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(7);
  });

  it('is no obstacle to work that began before it was deleted', async () => {
    const { person, orgId, subject } = await keyed();
    await put(subject, { window: 'total', limit: '1' }, person);
    const { key, begunAt } = await work().begin(hours(orgId, subject, 4n));
    expectStatus(204, await app.call('DELETE', `${PATH}/${subject}`, as(person)));
    await put(subject, { window: 'total', limit: '1' }, person);
    await work().end({ key, orgId }, [
      { source: 'test', sourceId: key, orgId, meter: 'sandbox_compute', quantity: HOUR_MS, occurredAt: begunAt },
    ]);
    expect((await app.fetch(`${PATH}/${subject}`, as(person))).body.data).toMatchObject({ spent: '0', held: '0' });
  });

  it('announces 50, 80 and 100 percent once', async () => {
    const { person, orgId, subject } = await keyed();
    await put(subject, { window: 'month', limit: '1' }, person);
    for (const count of [4n, 1n, 1n, 4n]) await spend(orgId, subject, count);
    const events = (): Promise<{ data: any }[]> =>
      app
        .get(Database)
        .manager.query("SELECT data FROM org_events WHERE org_id = $1 AND type = 'budget.warning' ORDER BY seq", [
          orgId,
        ]);
    await eventually(async () => (await events()).length === 3, 'all levels are announced', 20_000);
    const found = await events();
    expect(found.map(({ data }) => [data.subject, data.window, data.level, data.limit])).toEqual([
      [subject, 'month', 50, '1'],
      [subject, 'month', 80, '1'],
      [subject, 'month', 100, '1'],
    ]);
  });
});
