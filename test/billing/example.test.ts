import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PaidWorkService } from '../../src/modules/credits/paid-work.service.js';
import { parseUsd } from '../../src/platform/money/nano-dollars.js';
import { PROJECT_ROOT } from '../../src/platform/version.js';
import { as, expectStatus, Make } from '../support/make.js';
import { useApp } from '../support/test-app.js';
import { Months } from './months.js';

/** Title and amount of each row of the example in the documentation. */
function rowsOfExample(): [string, bigint][] {
  const [, example = ''] = readFileSync(join(PROJECT_ROOT, 'docs/billing.md'), 'utf8').split('<!-- example -->');
  return example
    .split('\n\n')[0]!
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
    .map((line) => {
      const cells = line.split('|').map((cell) => cell.trim().replaceAll('**', ''));
      return [cells[1]!, parseUsd(cells[3]!.replace('−', '-'))];
    });
}

describe('the example in docs/billing.md', () => {
  const app = useApp({ PLAN_CHANGES: 'free' }, 'api');
  const make = new Make(app);

  it('matches the invoice that the service creates', async () => {
    const months = new Months(app, make, new Date('2027-07-01T00:00:00Z'));
    await months.begin();
    const ada = await make.person();
    const key = await make.key(ada);
    const orgId = ada.organization.id;
    const choose = async (plan: string): Promise<void> => {
      expectStatus(200, await app.post('/api/v1/billing/subscription', { plan }, as(key)));
    };

    months.at(907_200);
    await choose('builder');
    months.at(1_728_000);
    await choose('pro');
    const at = months.at(1_900_000);
    const work = app.get(PaidWorkService);
    const begun = await work.begin({
      orgId,
      plan: 'pro',
      meter: 'sandbox_compute',
      lines: [{ quantity: 180_000_007n }],
      key: 'example',
    });
    await work.end(begun, [
      {
        source: 'example',
        sourceId: '1',
        orgId,
        meter: 'sandbox_compute',
        quantity: 180_000_007n,
        occurredAt: at,
      },
    ]);
    await months.use(orgId, { meter: 'ai_tokens', model: 'anthropic/claude-sonnet:output', quantity: 1_234_567n });
    await months.use(orgId, { meter: 'database_storage', quantity: 7_200_000_000_000n });
    await months.use(orgId, { meter: 'object_storage', quantity: 28_800_000_001_000n });
    await months.close();

    const [{ id }] = await months.invoicesOf(key);
    const { lines, total } = await months.invoice(key, id);
    const rows = rowsOfExample();
    expect(rows.map(([, amount]) => amount)).toEqual([
      ...lines.map(({ amount }: any) => parseUsd(amount)),
      parseUsd(total),
    ]);
    expect(rows.map(([title]) => title.split(/[, ]/)[0])).toEqual([
      'Builder',
      'Pro',
      'AI',
      'Sandbox',
      'Database',
      'Object',
      'Paid',
      'Rounding',
      'Total',
    ]);
  });
});
