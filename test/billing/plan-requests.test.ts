import { as, expectStatus, Make, type Person, send } from '../support/make.js';
import { type Answer, eventually, useApp } from '../support/test-app.js';

const PATH = '/api/v1/billing/subscription';
const OPS_TOKEN = 'an-ops-token-for-the-tests';
const AS_OPERATOR = { headers: { authorization: `Bearer ${OPS_TOKEN}` } };

describe('an upgrade without a payment provider', () => {
  const app = useApp({ OPS_TOKEN });
  const make = new Make(app);
  let ada: Person;

  beforeEach(async () => {
    ada = await make.person();
  });

  const choose = (plan: string): Promise<Answer> => app.post(PATH, { plan }, as(ada));
  const read = async (): Promise<any> => expectStatus(200, await app.fetch(PATH, as(ada))).body.data;
  const operate = ([method, path]: readonly [string, string], body: object): Promise<Answer> =>
    send(app, [method, `/ops/billing/subscriptions/${ada.organization.id}${path}`], body, AS_OPERATOR);
  const tasks = async (status: string): Promise<any[]> =>
    (await app.fetch(`/ops/tasks?runbookTag=plan_request&status=${status}&limit=100`, AS_OPERATOR)).body.tasks.filter(
      ({ title }: any) => title.includes(ada.organization.id),
    );
  const taskIs = (status: 'open' | 'resolved'): Promise<void> =>
    eventually(async () => (await tasks(status)).length === 1, `there is one ${status} task`, 15_000);
  const codeOf = ({ status, body }: Answer): [number, string] => [status, body.error?.code];
  const auditOf = async (): Promise<any[]> =>
    await make.sql(
      "SELECT action, details FROM audit_log WHERE org_id = $1 AND action LIKE 'subscription.%' ORDER BY id",
      [ada.organization.id],
    );

  it('creates a task for the operator, and starts with the approval', async () => {
    const answer = expectStatus(202, await choose('builder'));
    expect(answer.body.data).toMatchObject({
      plan: 'free',
      price_usd_per_month: '0',
      pending_change: { plan: 'builder', requested_at: expect.any(String) },
    });
    expect(answer.headers.get('x-service-tier')).toBe('free');
    expect(await read()).toEqual(answer.body.data);
    expect((await app.fetch('/api/v1/me', as(ada))).headers.get('x-service-tier')).toBe('free');
    await taskIs('open');
    expect(await tasks('open')).toMatchObject([
      { runbookTag: 'plan_request', description: `${ada.organization.id} requests the plan builder.` },
    ]);

    expectStatus(200, await operate(['PUT', ''], { plan: 'builder', reason: 'Invoice agreed' }));
    const approved = await read();
    expect(approved).toMatchObject({ plan: 'builder', price_usd_per_month: '49' });
    expect(approved).not.toHaveProperty('pending_change');
    await taskIs('resolved');
  });

  it('can be rejected, and the audit log says why', async () => {
    expectStatus(202, await choose('pro'));
    expect(expectStatus(200, await operate(['POST', '/refuse'], { reason: 'No contract' })).body).toEqual({
      orgId: ada.organization.id,
      refused: 'pro',
    });
    expect(await read()).not.toHaveProperty('pending_change');
    expect(codeOf(await operate(['POST', '/refuse'], { reason: 'Again' }))).toEqual([404, 'plan_request_not_found']);
    expect(codeOf(await operate(['POST', '/refuse'], {}))).toEqual([400, 'invalid_request']);
    expect(await auditOf()).toEqual([
      { action: 'subscription.change_requested', details: { to: 'pro' } },
      { action: 'subscription.change_refused', details: { to: 'pro', by: 'operator', reason: 'No contract' } },
    ]);
  });

  it('is requested once, replaced by another choice, and withdrawn by choosing the current plan', async () => {
    const [first] = (await Promise.all([choose('builder'), choose('builder'), choose('builder')])).map(
      (answer) => expectStatus(202, answer).body.data,
    );
    expect(first.pending_change.plan).toBe('builder');
    expect(expectStatus(202, await choose('pro')).body.data.pending_change.plan).toBe('pro');
    expect(expectStatus(200, await choose('free')).body.data).not.toHaveProperty('pending_change');
    expect((await auditOf()).map(({ action }) => action)).toEqual([
      'subscription.change_requested',
      'subscription.change_requested',
      'subscription.request_withdrawn',
    ]);
    await taskIs('resolved');
  });

  it('requests nothing in a dry run', async () => {
    expectStatus(202, await app.post(PATH, { plan: 'pro' }, as(ada, { headers: { 'dry-run': 'true' } })));
    expect(await read()).not.toHaveProperty('pending_change');
  });

  it('needs approval on a paid plan too, and a downgrade needs none', async () => {
    expectStatus(200, await operate(['PUT', ''], { plan: 'builder', reason: 'x' }));
    expect(expectStatus(202, await choose('pro')).body.data).toMatchObject({
      plan: 'builder',
      pending_change: { plan: 'pro' },
    });
    expect(expectStatus(200, await choose('free')).body.data).toMatchObject({
      plan: 'builder',
      planned_change: { plan: 'free' },
    });
    expect(await read()).not.toHaveProperty('pending_change');
  });
});
