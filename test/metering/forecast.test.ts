import { randomUUID } from 'node:crypto';
import { UsageService } from '../../src/modules/metering/usage.service.js';
import { as, Make } from '../support/make.js';
import { useApp } from '../support/test-app.js';

const DAY_MS = 86_400_000;

describe('GET /api/v1/billing/forecast', () => {
  const app = useApp();
  const make = new Make(app);

  const use = (orgId: string, milliseconds: bigint, request: object = {}) =>
    app.get(UsageService).record([
      {
        source: 'test',
        sourceId: randomUUID(),
        orgId,
        meter: 'sandbox_compute',
        quantity: milliseconds,
        occurredAt: new Date(),
        ...request,
      },
    ]);
  const near = (time: string, expectedMs: number): void => {
    expect(Math.abs(Date.parse(time) - expectedMs)).toBeLessThan(60_000);
  };

  it('returns when credits run out at the rate of the last day, and the largest consumers', async () => {
    const person = await make.person();
    const orgId = person.organization.id;
    // $0.75 of compute and $0.25 of tokens.
    await use(orgId, 27_000_000n);
    await use(orgId, 1_000_000n, { meter: 'ai_tokens', model: 'openai/gpt-mini:input' });
    const {
      status,
      body: { data },
    } = await app.fetch('/api/v1/billing/forecast', as(person));
    expect(status).toBe(200);
    expect(data.credits).toEqual({ balance: '5', held: '0', per_day: '1', run_out_at: expect.any(String) });
    near(data.credits.run_out_at, Date.now() + 5 * DAY_MS);
    expect(data.top).toEqual([
      { meter: 'sandbox_compute', cost: '0.75', share: 0.75 },
      { meter: 'ai_tokens', model: 'openai/gpt-mini:input', cost: '0.25', share: 0.25 },
    ]);
    expect(data.month.cost).toBe('1');
    expect(Number(data.month.projected_cost)).toBeGreaterThanOrEqual(1);
  });

  it('returns no end without usage', async () => {
    const {
      body: { data },
    } = await app.fetch('/api/v1/billing/forecast', as(await make.person()));
    expect(data.credits).toEqual({ balance: '5', held: '0', per_day: '0' });
    expect(data.top).toEqual([]);
    expect(data.month).toEqual({ cost: '0', projected_cost: '0' });
  });

  it('returns when the daily calls run out', async () => {
    const person = await make.person();
    const now = new Date();
    const passedMs = Math.max(3_600_000, now.getTime() % DAY_MS);
    // So many that the rest lasts for a tenth of what is left of the day.
    const share = passedMs / (passedMs + (DAY_MS - (now.getTime() % DAY_MS)) / 10);
    await make.spend(person.organization.id, Math.floor(5_000 * share));
    const { calls } = (await app.fetch('/api/v1/billing/forecast', as(person))).body.data;
    expect(calls).toEqual({
      limit: 5_000,
      used: expect.any(Number),
      remaining: 5_000 - calls.used,
      per_hour: expect.any(Number),
      run_out_at: expect.any(String),
      resets_at: expect.any(String),
    });
    expect(calls.per_hour).toBeCloseTo((calls.used / passedMs) * 3_600_000, -1);
    near(calls.run_out_at, now.getTime() + (calls.remaining / calls.used) * passedMs);

    const idle = (await app.fetch('/api/v1/billing/forecast', as(await make.person()))).body.data.calls;
    expect([idle.used, idle.run_out_at]).toEqual([1, undefined]);
    const unlimited = (await app.fetch('/api/v1/billing/forecast', as(await make.person({ plan: 'pro' })))).body.data
      .calls;
    expect(unlimited).toEqual({
      limit: null,
      used: null,
      remaining: null,
      per_hour: null,
      resets_at: expect.any(String),
    });
  });

  it('returns 404 to other organizations', async () => {
    const [owner, member, outsider] = [await make.person(), await make.person(), await make.person()];
    const org = await make.org(owner, { plan: 'pro' });
    await make.member(org, member, 'member');
    const codeOf = async (headers: object) =>
      (await app.fetch('/api/v1/billing/forecast', headers)).body.error?.code as string | undefined;
    const there = { headers: { 'x-service-org': org.id } };
    expect([
      await codeOf(as(owner, there)),
      await codeOf(as(member, there)),
      await codeOf(as(outsider, there)),
      await codeOf({}),
    ]).toEqual([undefined, 'insufficient_scopes', 'org_access_denied', 'missing_api_key']);
  });
});
