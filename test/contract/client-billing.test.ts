import { Make } from '../support/make.js';
import { useApp } from '../support/test-app.js';
import { Months } from '../billing/months.js';
import { type Account, client, signUpWithKey } from '../support/built-client.js';

const { ConflictError, NotFoundError, Service } = client;

describe('the built client with billing', () => {
  const app = useApp({ ANONYMOUS_CALLS_PER_SECOND: '1000', PLAN_CHANGES: 'free' }, 'api');
  let account: Account;
  let service: InstanceType<typeof Service>;

  beforeAll(async () => {
    account = await signUpWithKey(app.url);
    service = new Service({ apiKey: account.apiKey, baseUrl: app.url });
  });

  it('returns plans and prices without a key', async () => {
    const anonymous = new Service({ anonymous: true, baseUrl: app.url });
    const plans = await anonymous.billing.plans();
    expect(
      plans.data.map(({ id, price_usd_per_month: price, included_credits_usd: credits, bills_usage: bills }) => [
        id,
        price,
        credits,
        bills,
      ]),
    ).toEqual([
      ['free', '0', '5', false],
      ['builder', '49', '0', true],
      ['pro', '299', '0', true],
      ['enterprise', null, '0', true],
    ]);
    const prices = await anonymous.billing.prices();
    expect(new Set(prices.map(({ meter }) => meter))).toEqual(
      new Set(['ai_tokens', 'sandbox_compute', 'database_storage', 'object_storage']),
    );
    expect(prices).toContainEqual({
      id: 'sandbox-compute-1',
      meter: 'sandbox_compute',
      price_usd: '0.1',
      per: 'hour',
      since: '2026-01-01T00:00:00.000Z',
    });
  });

  it('changes plans, throws their errors, and returns credits', async () => {
    expect(await service.billing.subscription()).toMatchObject({ plan: 'free', org_id: account.organizationId });
    expect(await service.billing.credits()).toMatchObject({ balance: '5' });
    expect(await service.billing.choosePlan('builder')).toMatchObject({ plan: 'builder', price_usd_per_month: '49' });
    expect(await service.billing.choosePlan('free')).toMatchObject({
      plan: 'builder',
      planned_change: { plan: 'free' },
    });
    expect(await service.billing.choosePlan('builder')).not.toHaveProperty('planned_change');
    await expect(service.billing.choosePlan('enterprise')).rejects.toMatchObject({
      name: 'ConflictError',
      code: 'plan_by_contract',
    });
    await expect(service.billing.checkout('pro')).rejects.toMatchObject({ code: 'integration_not_configured' });
    await expect(service.billing.portal()).rejects.toBeInstanceOf(ConflictError);
  });

  it('returns invoices', async () => {
    const months = new Months(app, new Make(app));
    await months.begin();
    await months.close();
    const [listed] = (await service.billing.invoices({ limit: 5 })).data;
    expect(listed).toMatchObject({ number: 'INV-000001', total: '49.00', state: 'finalized' });
    const invoice = await service.billing.invoice(listed!.id);
    expect(invoice.lines).toMatchObject([{ kind: 'base_fee', plan: 'builder', amount: '49' }]);
    await expect(service.billing.invoice('ivc_00000000000000000000000000')).rejects.toBeInstanceOf(NotFoundError);
  });
});
