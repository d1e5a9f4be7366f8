import { DuePlanChanges } from '../../src/modules/billing/subscriptions/due-plan-changes.js';
import { Clock } from '../../src/platform/time/clock.js';
import { as, expectStatus, Make, type Person, send, uniqueName } from '../support/make.js';
import { type Answer, type CallOptions, type TestApp, useApp, WITHOUT_PROXY } from '../support/test-app.js';

const PATH = '/api/v1/billing/subscription';
const OPS = 'an-ops-token-for-the-tests';
const AS_OPERATOR = { headers: { authorization: `Bearer ${OPS}` } };
const ABSENT_ORG = 'org_00000000000000000000000000';

const app = useApp({ OPS_TOKEN: OPS, PLAN_CHANGES: 'free' }, 'api');
const make = new Make(app);
let ada: Person;
let key: string;

beforeEach(async () => {
  ada = await make.person();
  key = await make.key(ada);
});
afterEach(() => {
  jest.restoreAllMocks();
});

const choose = (plan: unknown, by = key, options: CallOptions = {}): Promise<Answer> =>
  app.post(PATH, { plan }, as(by, options));
const chosen = async (plan: string): Promise<any> => expectStatus(200, await choose(plan)).body.data;
const read = async (by = key): Promise<any> => expectStatus(200, await app.fetch(PATH, as(by))).body.data;
const setPlan = (orgId: string, body: object, options: CallOptions = AS_OPERATOR): Promise<Answer> =>
  send(app, ['PUT', `/ops/billing/subscriptions/${orgId}`], body, options);
const codeOf = (answer: Answer): [number, string] => [answer.status, answer.body.error?.code];
const changesOf = (orgId: string): Promise<any[]> =>
  make.sql(
    `SELECT from_plan, to_plan, price_nano, effective_at FROM plan_changes WHERE org_id = $1
      ORDER BY effective_at, seq`,
    [orgId],
  );
const tierOf = async (at: TestApp = app): Promise<string | null> =>
  (await at.fetch('/api/v1/me', as(key))).headers.get('x-service-tier');
const auditOf = async (): Promise<any[]> =>
  (await app.fetch(`/api/v1/orgs/${ada.organization.id}/audit-log?limit=100`, as(ada))).body.data
    .filter(({ action }: { action: string }) => action.startsWith('subscription.'))
    .map(({ action, details }: any) => [action, details]);

/** Every process of the test has this time, until it is said otherwise. */
function timeIs(time: Date): void {
  jest.spyOn(app.get(Clock), 'now').mockImplementation(() => new Date(time));
}
const nextMonth = (): Date => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1));
};

describe('subscriptions', () => {
  it('start with the plan of the organization, without a fee', async () => {
    const now = new Date();
    const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()));
    const expected = {
      org_id: ada.organization.id,
      plan: 'free',
      price_usd_per_month: '0',
      period: { from: from.toISOString(), to: nextMonth().toISOString() },
      payment: 'manual',
      storage: { used_bytes: 0, limit_bytes: 1_073_741_824 },
    };
    expect(await read()).toEqual(expected);
    // A person who is signed in needs no key.
    expect((await app.fetch(PATH, as(ada))).body.data).toEqual(expected);
  });

  it('upgrade at once: the next request has the new limits in every process', async () => {
    const other = await app.another();
    try {
      expect([await tierOf(), await tierOf(other)]).toEqual(['free', 'free']);
      const project = (
        await app.post('/api/v1/projects', { name: 'Shop', repo_url: 'https://github.com/acme/shop' }, as(key))
      ).body.data.id as string;
      const deploy = (): Promise<Answer> =>
        app.post(
          `/api/v1/projects/${project}/deploys`,
          { branch: 'main', type: 'production' },
          as(key, { headers: { 'dry-run': 'true' } }),
        );
      expect(codeOf(await deploy())).toEqual([403, 'feature_not_in_plan']);

      const before = new Date(Math.floor(Date.now() / 1_000) * 1_000);
      expect(await chosen('builder')).toMatchObject({ plan: 'builder', price_usd_per_month: '49' });
      for (const at of [other, app]) {
        const answer = await at.fetch('/api/v1/me', as(key));
        expect([answer.headers.get('x-service-tier'), answer.headers.get('x-service-calls-limit')]).toEqual([
          'builder',
          '100000',
        ]);
      }
      expect((await deploy()).status).toBe(202);
      const [change] = await changesOf(ada.organization.id);
      expect(change).toMatchObject({ from_plan: 'free', to_plan: 'builder', price_nano: '49000000000' });
      expect(change.effective_at >= before && change.effective_at <= new Date()).toBe(true);
      expect(change.effective_at.getMilliseconds()).toBe(0);
      expect(await auditOf()).toEqual([['subscription.changed', { from: 'free', to: 'builder' }]]);
    } finally {
      await other.stop();
    }
  });

  it('downgrade at the end of the period, and can be kept until then', async () => {
    await chosen('pro');
    const end = nextMonth();
    const planned = {
      plan: 'pro',
      price_usd_per_month: '299',
      planned_change: { plan: 'builder', at: end.toISOString() },
    };
    expect(await chosen('builder')).toMatchObject(planned);
    expect(await chosen('builder')).toMatchObject(planned);
    expect(await tierOf()).toBe('pro');

    expect(await chosen('pro')).not.toHaveProperty('planned_change');
    expect(await chosen('free')).toMatchObject({ planned_change: { plan: 'free', at: end.toISOString() } });

    timeIs(new Date(end.getTime() - 1));
    await app.get(DuePlanChanges).applyAll();
    expect(await read()).toMatchObject({ plan: 'pro' });
    // The job comes late, and the bill goes by the end of the period all the same.
    timeIs(new Date(end.getTime() + 3_600_000));
    await app.get(DuePlanChanges).applyAll();
    await app.get(DuePlanChanges).applyAll();
    jest.restoreAllMocks();
    expect(await read()).toMatchObject({ plan: 'free', price_usd_per_month: '0' });
    expect(await tierOf()).toBe('free');
    expect(
      (await changesOf(ada.organization.id)).map(({ from_plan, to_plan, effective_at }) => [
        from_plan,
        to_plan,
        effective_at.getTime() === end.getTime(),
      ]),
    ).toEqual([
      ['free', 'pro', false],
      ['pro', 'free', true],
    ]);
    expect((await auditOf()).map(([action]) => action)).toEqual([
      'subscription.changed',
      'subscription.change_planned',
      'subscription.change_dropped',
      'subscription.change_planned',
      'subscription.changed',
    ]);
  });

  it('apply a scheduled change before the next one, also when no job ran', async () => {
    await chosen('builder');
    await chosen('free');
    const end = nextMonth();
    timeIs(new Date(end.getTime() + 10_000));
    expect(await chosen('builder')).toMatchObject({ plan: 'builder' });
    jest.restoreAllMocks();
    expect(
      (await changesOf(ada.organization.id))
        .map(({ to_plan, effective_at }) => [to_plan, effective_at.getTime() - end.getTime()])
        .slice(1),
    ).toEqual([
      ['free', 0],
      ['builder', 10_000],
    ]);
  });

  it('drop a scheduled downgrade on an upgrade', async () => {
    await chosen('builder');
    await chosen('free');
    expect(await chosen('pro')).not.toHaveProperty('planned_change');
    expect(
      await make.sql('SELECT next_plan, next_plan_at FROM subscriptions WHERE org_id = $1', [ada.organization.id]),
    ).toEqual([{ next_plan: null, next_plan_at: null }]);
  });

  it('refuse a plan that is too small for what exists, and say what exceeds it', async () => {
    await chosen('builder');
    for (let index = 0; index < 4; index++)
      expectStatus(201, await app.post('/api/v1/projects', { name: uniqueName('p') }, as(key)));
    const refused = await choose('free');
    expect(codeOf(refused)).toEqual([409, 'plan_too_small']);
    expect(refused.body.error).toMatchObject({
      type: 'conflict_error',
      details: { plan: 'free', over: [{ limit: 'projects', allowed: 3, used: 4 }] },
    });
    expect(await read()).not.toHaveProperty('planned_change');
    const [{ id }] = (await app.fetch('/api/v1/projects', as(key))).body.data;
    await app.call('DELETE', `/api/v1/projects/${id as string}`, as(key));
    expect(await chosen('free')).toMatchObject({ planned_change: { plan: 'free' } });
  });

  it('cannot choose or leave Enterprise', async () => {
    const refused = await choose('enterprise');
    expect(codeOf(refused)).toEqual([409, 'plan_by_contract']);
    expectStatus(
      200,
      await setPlan(ada.organization.id, { plan: 'enterprise', priceUsdPerMonth: '1200.5', reason: 'Contract 7' }),
    );
    expect(codeOf(await choose('builder'))).toEqual([409, 'plan_by_contract']);
    expect(await chosen('enterprise')).toMatchObject({ plan: 'enterprise', price_usd_per_month: '1200.5' });
  });

  it('change nothing in a dry run, and once per idempotency key', async () => {
    const dry = await choose('pro', key, { headers: { 'dry-run': 'true' } });
    expect([dry.status, dry.body.data.plan, dry.body.meta.dry_run]).toEqual([200, 'pro', true]);
    expect(await read()).toMatchObject({ plan: 'free' });
    const options = { headers: { 'idempotency-key': uniqueName('key') } };
    const first = await choose('pro', key, options);
    const again = await choose('pro', key, options);
    expect([again.body.data, again.headers.get('idempotency-replayed')]).toEqual([first.body.data, 'true']);
    expect(await changesOf(ada.organization.id)).toHaveLength(1);
  });

  it('change once under concurrent requests', async () => {
    const answers = await Promise.all(
      ['builder', 'pro', 'builder', 'pro', 'builder', 'pro'].map((plan) => choose(plan)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    const changes = await changesOf(ada.organization.id);
    expect(changes.map(({ from_plan }) => from_plan)).toEqual([
      'free',
      ...changes.slice(0, -1).map(({ to_plan }) => to_plan),
    ]);
    expect(changes.at(-1).to_plan).toBe('pro');
    expect(await tierOf()).toBe('pro');
  });

  it('require billing:write and the role', async () => {
    expect(codeOf(await app.fetch(PATH))).toEqual([401, 'missing_api_key']);
    const reader = await make.key(ada, { scopes: ['billing:read'] });
    expect(codeOf(await choose('builder', reader))).toEqual([403, 'insufficient_scopes']);
    expect((await app.fetch(PATH, as(reader))).status).toBe(200);
    const org = await make.org(ada);
    const member = await make.person();
    await make.member(org, member, 'member');
    expect(codeOf(await choose('builder', await make.key(member), { headers: { 'x-service-org': org.id } }))).toEqual([
      403,
      'insufficient_scopes',
    ]);
    const outsider = await make.key(await make.person());
    expect(codeOf(await choose('builder', outsider, { headers: { 'x-service-org': org.id } }))).toEqual([
      403,
      'org_access_denied',
    ]);
    for (const plan of ['gold', undefined, 7, null])
      expect(codeOf(await choose(plan))).toEqual([400, 'invalid_request']);
  });
});

describe('PUT /ops/billing/subscriptions/:org_id', () => {
  it('sets any plan at any price, and stores the reason', async () => {
    const answer = await setPlan(ada.organization.id, {
      plan: 'enterprise',
      priceUsdPerMonth: '1200',
      reason: 'Contract 7',
    });
    expect(answer.body).toEqual({
      orgId: ada.organization.id,
      plan: 'enterprise',
      priceUsdPerMonth: '1200',
      since: expect.any(String),
    });
    expect(await tierOf()).toBe('enterprise');
    expect(await auditOf()).toEqual([
      ['subscription.changed', { from: 'free', to: 'enterprise', by: 'operator', reason: 'Contract 7' }],
    ]);
    expectStatus(200, await setPlan(ada.organization.id, { plan: 'builder', reason: 'Over' }));
    expect(await read()).toMatchObject({ plan: 'builder', price_usd_per_month: '49' });
  });

  it('returns 400 for invalid changes', async () => {
    for (const body of [
      {},
      { plan: 'pro' },
      { plan: 'enterprise', reason: 'x' },
      { plan: 'pro', priceUsdPerMonth: '-1', reason: 'x' },
      { plan: 'pro', priceUsdPerMonth: 49, reason: 'x' },
      { plan: 'pro', priceUsdPerMonth: '1e3', reason: 'x' },
    ]) {
      expect(codeOf(await setPlan(ada.organization.id, body))).toEqual([400, 'invalid_request']);
    }
    expect(codeOf(await setPlan('nonsense', { plan: 'pro', reason: 'x' }))).toEqual([400, 'invalid_request']);
    expect(codeOf(await setPlan(ABSENT_ORG, { plan: 'pro', reason: 'x' }))).toEqual([404, 'organization_not_found']);
    expect(codeOf(await setPlan(ada.organization.id, { plan: 'pro', reason: 'x' }, {}))).toEqual([
      401,
      'invalid_token',
    ]);
  });
});

describe('without OPS_TOKEN', () => {
  const open = useApp(WITHOUT_PROXY, 'api');

  it('returns 404 to every caller', async () => {
    const person = await new Make(open).person();
    const answer = await send(open, ['PUT', `/ops/billing/subscriptions/${person.organization.id}`], {
      plan: 'pro',
      reason: 'x',
    });
    expect(codeOf(answer)).toEqual([401, 'invalid_token']);
    expect((await open.fetch('/ops', { direct: true })).status).toBe(200);
  });
});
