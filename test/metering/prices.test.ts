import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PriceVersionsStore } from '../../src/modules/metering/persistence/price-versions.store.js';
import { PriceCatalog } from '../../src/modules/metering/prices/price-catalog.js';
import { PricesService } from '../../src/modules/metering/prices.service.js';
import { UsageService } from '../../src/modules/metering/usage.service.js';
import { Database } from '../../src/platform/database/database.js';
import { Log } from '../../src/platform/logging/log.js';
import { Clock } from '../../src/platform/time/clock.js';
import { Make } from '../support/make.js';
import { TestApp } from '../support/test-app.js';
import { MeteringSettings } from '../../src/modules/metering/metering.settings.js';

const HOUR_MS = 3_600_000;

describe('PRICES_FILE', () => {
  const directory = mkdtempSync(join(tmpdir(), 'prices-'));
  const file = join(directory, 'prices.yml');
  const first = { id: 'compute-1', meter: 'sandbox_compute', from: '2026-01-01T00:00:00Z', usd: '1' };
  const write = (...prices: object[]): void => {
    writeFileSync(file, JSON.stringify({ prices }));
  };
  const app = new TestApp({ SANDBOX_ENABLED: 'false', PRICES_FILE: file }, 'api');

  beforeAll(async () => {
    write(first);
    await app.start();
  });
  afterAll(async () => {
    await app.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it('sets what usage costs, and estimates are never lower', async () => {
    const {
      organization: { id: orgId },
    } = await new Make(app).person();
    const usage = { meter: 'sandbox_compute', quantity: 1n } as const;
    expect(await app.get(PricesService).estimate({ ...usage, at: new Date() })).toBe(278n);
    // 277.7… nano-dollars each.
    const [one, two] = await app
      .get(UsageService)
      .record(
        ['one', 'two'].map((sourceId) => ({ ...usage, source: 'test', sourceId, orgId, occurredAt: new Date() })),
      );
    expect([one!.costNano, two!.costNano].sort()).toEqual([277n, 278n]);
  });

  it('applies prices from their start, and keeps earlier usage at the earlier price', async () => {
    const soon = new Date(Date.now() + HOUR_MS);
    write(first, { ...first, id: 'compute-2', from: soon.toISOString(), usd: '2' });
    await app.restart();
    const estimate = (at: Date) =>
      app.get(PricesService).estimate({ meter: 'sandbox_compute', quantity: 3_600_000n, at });
    expect(await estimate(new Date())).toBe(1_000_000_000n);
    expect(await estimate(soon)).toBe(2_000_000_000n);
    expect((await app.get(PricesService).list(soon)).map(({ id, per }) => [id, per])).toEqual([['compute-2', 'hour']]);
  });

  it('refuses to start when an existing price was changed', async () => {
    // What Nest makes of it as it starts; a whole service that fails to start would leave its timers to the tests that
    // follow.
    const start = async (): Promise<void> => {
      await new PriceCatalog(
        app.settings.of(MeteringSettings),
        app.get(Database),
        app.get(PriceVersionsStore),
        app.get(Clock),
        app.get(Log),
      ).onApplicationBootstrap();
    };
    write({ ...first, usd: '0.5' });
    await expect(start()).rejects.toThrow(
      new RegExp(
        'The prices in .* conflict with the database:\\n' +
          ' {2}compute-1 was sandbox_compute at 1000000000 nano-dollars .* a version never changes',
      ),
    );
    write({ ...first, usd: 'free' });
    await expect(start()).rejects.toThrow(/Invalid prices in .*prices\.yml:\n {2}prices\[0\]: usd must be/);
    write(first);
    await expect(start()).resolves.toBeUndefined();
  });
});
