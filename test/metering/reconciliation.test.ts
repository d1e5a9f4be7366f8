import { OrgDirectory } from '../../src/modules/orgs/org-directory.js';
import { randomUUID } from 'node:crypto';
import { monthOf } from '../../src/modules/metering/month.js';
import {
  type OrgWindow,
  UsageReconciliationStore,
} from '../../src/modules/metering/persistence/usage-reconciliation.store.js';
import { UsageReconciler } from '../../src/modules/metering/reconciliation/usage-reconciler.js';
import { UsageService } from '../../src/modules/metering/usage.service.js';
import { Make } from '../support/make.js';
import { useApp } from '../support/test-app.js';

describe('reconciliation of usage with its events', () => {
  const app = useApp();
  const make = new Make(app);
  let orgId: string;

  beforeAll(async () => {
    orgId = (await make.person()).organization.id;
    await app.get(UsageService).record(
      Array.from({ length: 50 }, (_, index) => ({
        source: 'test',
        sourceId: randomUUID(),
        orgId,
        meter: 'sandbox_compute' as const,
        quantity: BigInt(index),
        occurredAt: new Date(),
      })),
    );
  });

  const drift = async (): Promise<string | undefined> =>
    /^usage_reconcile_drift (\S+)$/m.exec((await app.fetch('/metrics')).text)?.[1];
  const reconcile = () => app.get(UsageReconciler).reconcile();

  it('reports no fault for consistent data, and when it ran', async () => {
    expect(await reconcile()).toBe(0);
    expect(await drift()).toBe('0');
    expect(
      Number(/^usage_reconcile_last_seconds (\S+)$/m.exec((await app.fetch('/metrics')).text)?.[1]),
    ).toBeGreaterThan(Date.now() / 1000 - 60);
  });

  it.each([
    [
      'an event that is counted nowhere',
      `INSERT INTO usage_events SELECT '{id}'::uuid, org_id, project_id, meter, model, 7,
        price_version, 0, occurred_at, billed_at, late, source, 'x', properties
        FROM usage_events LIMIT 1`,
      "DELETE FROM usage_events WHERE source_id = 'x'",
    ],
    [
      'an event of another quantity than was counted',
      'UPDATE usage_events SET quantity = quantity + 1 WHERE id = (SELECT id FROM usage_events ORDER BY id LIMIT 1)',
      'UPDATE usage_events SET quantity = quantity - 1 WHERE id = (SELECT id FROM usage_events ORDER BY id LIMIT 1)',
    ],
    [
      'an hour with a nano-dollar too much',
      'UPDATE usage_hours SET cost_nano = cost_nano + 1',
      'UPDATE usage_hours SET cost_nano = cost_nano - 1',
    ],
    [
      'a month with an event too few',
      'UPDATE usage_months SET events = events - 1',
      'UPDATE usage_months SET events = events + 1',
    ],
  ])('reports %s', async (_, damage, repair) => {
    const [event] = await make.sql<{ id: string }>('SELECT id FROM usage_events ORDER BY id LIMIT 1');
    await make.sql(
      damage.replace(
        '{id}',
        event!.id.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')),
      ),
    );
    expect(await reconcile()).toBe(1);
    expect(await drift()).toBe('1');
    expect(app.log()).toContainEqual(
      expect.objectContaining({
        level: 'error',
        msg: 'Usage sums differ from the sums of their events.',
        drifted: [expect.objectContaining({ orgId, meter: 'sandbox_compute' })],
      }),
    );
    await make.sql(repair);
    expect(await reconcile()).toBe(0);
  });

  it('compares each sum once for a batch of organizations', async () => {
    const other = (await make.person()).organization.id;
    await app.get(UsageService).record([
      {
        source: 'test',
        sourceId: randomUUID(),
        orgId: other,
        meter: 'sandbox_compute',
        quantity: 7n,
        occurredAt: new Date(),
      },
    ]);
    await make.sql('UPDATE usage_hours SET events = events + 1');
    const store = app.get(UsageReconciliationStore);
    const orgs = app.get(OrgDirectory);
    for (const size of [1, 2, 500]) {
      const found: string[] = [];
      for (let after: string | undefined = ''; after !== undefined;) {
        const { last, count }: { last: string | undefined; count: number } = await orgs.endOfPage(after, size);
        const window: OrgWindow = { after, last: count < size ? undefined : last };
        found.push(...(await store.drifted(monthOf(new Date()), window)).map((sum) => sum.orgId));
        after = window.last;
      }
      expect(found.sort()).toEqual([orgId, other].sort());
    }
    await make.sql('UPDATE usage_hours SET events = events - 1');
    expect(await reconcile()).toBe(0);
  });

  it('is not affected by a price that was not charged', async () => {
    await expect(make.sql('UPDATE usage_months SET cost_nano = cost_nano + 1')).rejects.toThrow(
      'usage_months_rated_as_a_whole',
    );
  });
});
