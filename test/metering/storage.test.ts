import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StorageSampler } from '../../src/modules/metering/storage/storage-sampler.js';
import { StorageSource, StorageSources, type StoredBytes } from '../../src/modules/metering/storage-source.js';
import { UsageTotalsService } from '../../src/modules/metering/usage-totals.service.js';
import { Clock } from '../../src/platform/time/clock.js';
import { Make } from '../support/make.js';
import { useApp } from '../support/test-app.js';

const HOUR_MS = 3_600_000;

/** The size of the database that the tests run on. */
class DatabaseSource extends StorageSource {
  readonly name = 'databases';
  constructor(
    private readonly make: Make,
    private readonly orgId: string,
  ) {
    super();
  }

  async measure(): Promise<StoredBytes[]> {
    const [row] = await this.make.sql<{ name: string; bytes: string }>(
      'SELECT current_database() AS name, pg_database_size(current_database()) AS bytes',
    );
    return [
      { meter: 'database_storage', orgId: this.orgId, projectId: null, name: row!.name, bytes: BigInt(row!.bytes) },
    ];
  }
}

/** The sizes of the files of a folder, each file by itself. */
class FolderSource extends StorageSource {
  broken = false;
  constructor(
    readonly name: string,
    private readonly folder: string,
    private readonly orgId: string,
  ) {
    super();
  }

  measure(): Promise<StoredBytes[]> {
    if (this.broken) return Promise.reject(new Error('The folder is unavailable.'));
    return Promise.resolve(
      readdirSync(this.folder).map((name) => ({
        meter: 'object_storage' as const,
        orgId: this.orgId,
        projectId: null,
        name,
        bytes: BigInt(statSync(join(this.folder, name)).size),
      })),
    );
  }
}

describe('metered storage', () => {
  const app = useApp({}, 'all');
  const make = new Make(app);
  const folder = mkdtempSync(join(tmpdir(), 'stored-'));
  let now: Date;
  let orgId: string;
  let files: FolderSource;
  let tests = 0;

  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  beforeEach(async () => {
    orgId = (await make.person()).organization.id;
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
    const sources = app.get(StorageSources);
    (sources.all as StorageSource[]).length = 0;
    files = new FolderSource(`files-${++tests}`, folder, orgId);
    sources.add(files);
    // A month that is over, and that no real usage is of.
    now = new Date('2026-09-10T10:17:00Z');
    jest.spyOn(app.get(Clock), 'now').mockImplementation(() => now);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const write = (name: string, bytes: number): void => {
    writeFileSync(join(folder, name), Buffer.alloc(bytes));
  };
  const later = (hours: number): void => {
    now = new Date(now.getTime() + hours * HOUR_MS);
  };
  const sample = () => app.get(StorageSampler).sample();
  const byteHours = async (): Promise<bigint> =>
    (await app.get(UsageTotalsService).totals(orgId, new Date('2026-09-01'), new Date('2026-10-01'))).reduce(
      (sum, { quantity }) => sum + quantity,
      0n,
    );

  it('is recorded once an hour by the first process', async () => {
    write('a', 1_000);
    await Promise.all([sample(), sample(), sample()]);
    write('a', 9_000);
    await sample();
    expect(await byteHours()).toBe(1_000n);
    later(1);
    await sample();
    expect(await byteHours()).toBe(10_000n);
  });

  it('is recorded for missed hours as the smaller of the neighbouring samples', async () => {
    write('grows', 1_000);
    write('shrinks', 500);
    await sample();
    later(4);
    write('grows', 2_000);
    write('shrinks', 100);
    await sample();
    expect(await byteHours()).toBe(1_000n + 3n * 1_000n + 2_000n + 500n + 3n * 100n + 100n);
    const [row] = await make.sql<{ count: string }>(
      "SELECT count(*) FROM usage_events WHERE org_id = $1 AND properties ->> 'measured' = 'no'",
      [orgId],
    );
    expect(row!.count).toBe('6');
  });

  it('costs nothing after its last sample, and starts again with the next one', async () => {
    write('a', 1_000);
    await sample();
    rmSync(join(folder, 'a'));
    later(1);
    await sample();
    later(5);
    write('a', 300);
    await sample();
    expect(await byteHours()).toBe(1_300n);
  });

  it('is recorded later when a source was unavailable, without delaying others', async () => {
    const other = new FolderSource(`others-${tests}`, folder, orgId);
    app.get(StorageSources).add(other);
    write('a', 1_000);
    files.broken = true;
    await sample();
    expect(await byteHours()).toBe(1_000n);
    files.broken = false;
    await sample();
    expect(await byteHours()).toBe(2_000n);
  });

  it('costs the monthly price for 10⁹ bytes over a month', async () => {
    const { name } = files;
    jest
      .spyOn(files, 'measure')
      .mockResolvedValue([{ meter: 'object_storage', orgId, projectId: null, name: 'bucket', bytes: 1_000_000_000n }]);
    now = new Date('2026-09-01T00:30:00Z');
    await sample();
    now = new Date('2026-09-30T23:30:00Z');
    await sample();
    const [total] = await app.get(UsageTotalsService).totals(orgId, new Date('2026-09-01'), new Date('2026-10-01'));
    expect([name, total]).toEqual([
      name,
      expect.objectContaining({
        meter: 'object_storage',
        unit: 'byte_hours',
        quantity: 720n * 10n ** 9n,
        costNano: 25_000_000n,
        events: 720,
      }),
    ]);
  });

  it('is measured at its source: the size of a database', async () => {
    app.get(StorageSources).add(new DatabaseSource(make, orgId));
    await app.runSchedule('storage-sampling');
    const totals = await app.get(UsageTotalsService).totals(orgId, new Date('2026-09-01'), new Date('2026-10-01'));
    expect(totals).toEqual([expect.objectContaining({ meter: 'database_storage', events: 1 })]);
    // PostgreSQL's empty database has more than that.
    expect(totals[0]!.quantity).toBeGreaterThan(5_000_000n);
  });
});
