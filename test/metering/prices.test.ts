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
  const app = new TestApp({ PRICES_FILE: file }, 'api');

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
    expect(await app.get(PricesService).estimate({ ...usage, orgId, at: new Date() })).toBe(278n);
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
      app.get(PricesService).estimate({ orgId: 'org_1', meter: 'sandbox_compute', quantity: 3_600_000n, at });
    expect(await estimate(new Date())).toBe(1_000_000_000n);
    expect(await estimate(soon)).toBe(2_000_000_000n);
    expect((await app.get(PricesService).list(soon)).map(({ id, per }) => [id, per])).toEqual([['compute-2', 'hour']]);
  });

  it('charges organizations of a book its prices, and the standard ones for what it does not price', async () => {
    const make = new Make(app);
    const [partner, other] = [await make.person(), await make.person()];
    const model = { meter: 'ai_tokens', model: 'a/b:input' } as const;
    writeFileSync(
      file,
      JSON.stringify({
        books: [{ id: 'partner', organizations: [partner.organization.id] }],
        prices: [
          first,
          { id: 'tokens-1', ...model, from: first.from, usd: '4' },
          { ...first, id: 'partner-compute-1', book: 'partner', usd: '0.25' },
        ],
      }),
    );
    await app.restart();
    const costs = async (orgId: string): Promise<bigint[]> => {
      const at = { orgId, source: 'test', occurredAt: new Date() };
      const recorded = await app.get(UsageService).record([
        { ...at, sourceId: `${orgId}-compute`, meter: 'sandbox_compute', quantity: BigInt(HOUR_MS) },
        { ...at, sourceId: `${orgId}-tokens`, ...model, quantity: 1_000_000n },
      ]);
      return recorded.map(({ costNano }) => costNano);
    };
    expect(await costs(partner.organization.id)).toEqual([250_000_000n, 4_000_000_000n]);
    expect(await costs(other.organization.id)).toEqual([1_000_000_000n, 4_000_000_000n]);
    // What was used carries the price of the book, so that invoices show it.
    expect(
      await make.sql('SELECT price_version FROM usage_events WHERE org_id = $1 ORDER BY 1', [partner.organization.id]),
    ).toEqual([{ price_version: 'partner-compute-1' }, { price_version: 'tokens-1' }]);
    const shown = await app.get(PricesService).list(new Date());
    expect(shown.map(({ id }) => id).sort()).toEqual(['compute-1', 'tokens-1']);
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
