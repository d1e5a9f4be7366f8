import { randomUUID } from 'node:crypto';
import { UsageService } from '../../src/modules/metering/usage.service.js';
import { type Account, client, signUpWithKey } from '../support/built-client.js';
import { CommandLine } from '../support/command-line.js';
import { useApp } from '../support/test-app.js';

const { Service, ValidationError } = client;

describe('usage in the client library and the command line', () => {
  const app = useApp({ ANONYMOUS_CALLS_PER_SECOND: '1000' });
  const command = new CommandLine(() => app.url);
  let account: Account;

  beforeAll(async () => {
    command.start();
    account = await signUpWithKey(app.url);
    const event = { source: 'test', orgId: account.organizationId, occurredAt: new Date() };
    await app.get(UsageService).record([
      { ...event, sourceId: randomUUID(), meter: 'sandbox_compute', quantity: 3_600_000n },
      { ...event, sourceId: randomUUID(), meter: 'ai_tokens', model: 'openai/gpt-mini:output', quantity: 100_000n },
    ]);
  });
  afterAll(() => {
    command.stop();
  });

  it('is returned by the library with its cost', async () => {
    const { billing } = new Service({ apiKey: account.apiKey, baseUrl: app.url });
    const { data, meta } = await billing.usage({ group_by: ['model'] });
    expect(data).toEqual([
      {
        meter: 'ai_tokens',
        model: 'openai/gpt-mini:output',
        quantity: '100000',
        unit: 'tokens',
        display_quantity: '100,000 tokens',
        cost: '0.2',
      },
      { meter: 'sandbox_compute', quantity: '3600000', unit: 'ms', display_quantity: '1 h', cost: '0.1' },
    ]);
    expect(meta.cost).toBe('0.3');
    await expect(billing.usage({ from: 'yesterday' })).rejects.toBeInstanceOf(ValidationError);
    // A worker takes what was reported from the credits within seconds.
    expect((await billing.forecast()).credits).toMatchObject({
      balance: expect.stringMatching(/^(5|4\.7)$/),
      per_day: '0.3',
    });
  });

  it('is printed by the command line as text and as JSON', async () => {
    const run = (...args: string[]) => command.run(['usage', ...args], { env: { SERVICE_API_KEY: account.apiKey } });
    const shown = await run('--by', 'model,day');
    expect([shown.code, shown.stderr]).toEqual([0, '']);
    expect(shown.stdout).toMatch(/sandbox_compute .* 1 h +0\.1\n/);
    expect(shown.stdout).toContain('In all: $0.3');
    expect(shown.stdout).toMatch(/Credits: \$(5|4\.7), used up at 2\d{3}-/);
    expect(JSON.parse((await run('--json')).stdout)).toMatchObject({
      cost: '0.3',
      usage: [{ meter: 'ai_tokens' }, { meter: 'sandbox_compute' }],
      forecast: { calls: { limit: 5_000 } },
    });
    expect((await run('--from', '2020-01-01', '--to', '2020-02-01')).stdout).toContain('Nothing was used.');
    expect(await run('--by', 'colour')).toMatchObject({ code: 2, stderr: expect.stringContaining('"colour"') });
  });

  it('covers the spend cap and invoices', async () => {
    const { billing } = new Service({ apiKey: account.apiKey, baseUrl: app.url });
    const month = new Date().toISOString().slice(0, 7);
    expect(await billing.setSpendCap('12.50')).toEqual({ amount: '12.5', billed: '0', month });
    expect(await billing.spendCap()).toMatchObject({ amount: '12.5' });
    await expect(billing.setSpendCap('-1')).rejects.toBeInstanceOf(ValidationError);
    expect(await billing.upcomingInvoice()).toMatchObject({ org_id: account.organizationId, total: '0.00' });

    const run = (...args: string[]) => command.run(args, { env: { SERVICE_API_KEY: account.apiKey } });
    expect(await run('spend-cap')).toMatchObject({
      code: 0,
      stdout: `Billed for ${month} so far: $0 of at most $12.5\n`,
    });
    expect(await run('spend-cap', '100')).toMatchObject({ code: 0, stdout: expect.stringContaining('at most $100') });
    expect(await run('spend-cap', 'none')).toMatchObject({
      code: 0,
      stdout: `No spend cap; billed for ${month} so far: $0\n`,
    });
    expect(await billing.spendCap()).toMatchObject({ amount: null });
    expect(await run('spend-cap', 'much')).toMatchObject({ code: 2, stderr: expect.stringContaining('"much"') });
    expect(await run('invoices')).toMatchObject({
      code: 0,
      stdout: `${month}, so far: $0.00\n\nThere are no invoices yet.\n`,
    });
    expect(JSON.parse((await run('invoices', '--json')).stdout)).toMatchObject({
      upcoming: { total: '0.00' },
      invoices: [],
    });
  });
});
