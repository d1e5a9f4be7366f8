import { DatabaseEngine } from '../../src/modules/databases/engine/database-engine.js';
import { ClusterRecords } from '../../src/modules/databases/engine/own/cluster-records.js';
import { DatabaseSizesStore } from '../../src/modules/databases/persistence/database-sizes.store.js';
import { StorageSampler } from '../../src/modules/metering/storage/storage-sampler.js';
import { Clock } from '../../src/platform/time/clock.js';
import { Databases } from '../support/databases.js';
import { Make } from '../support/make.js';
import { eventually, useApp } from '../support/test-app.js';
import { DatabaseData } from './database-data.js';

const app = useApp({}, 'all');
const make = new Make(app);
const GB = 1_000_000_000;
let databases: Databases;
let id: string;

beforeEach(async () => {
  databases = new Databases(app);
  await databases.begin('free');
  ({ id } = await databases.ready());
});
afterEach(() => jest.restoreAllMocks());

/** The engine measures this size from now on, so that its own report does not undo what a test sets. */
const resize = async (bytes: number): Promise<void> => {
  await make.sql('UPDATE databases SET size_bytes = $2, measured_at = now() WHERE id = $1', [id, bytes]);
};
const sweep = (): Promise<unknown> => app.runSchedule('database-quotas');
const engine = (): DatabaseEngine => app.get(DatabaseEngine);
const restriction = async (): Promise<string> =>
  (await make.sql<{ restriction: string }>('SELECT restriction FROM databases WHERE id = $1', [id]))[0]!.restriction;
const shown = async (): Promise<string | null> => (await databases.get(id)).read_only_because as string | null;

describe('a database beyond its quota', () => {
  it('is read-only until it is smaller, and its organization learns of it once', async () => {
    const restrict = jest.spyOn(engine(), 'restrict');
    await resize(GB + 1);
    await sweep();
    expect(await shown()).toBe('quota');
    expect(await restriction()).toBe('read_only');
    const calls = restrict.mock.calls.length;
    await sweep();
    expect(restrict.mock.calls.length).toBe(calls);
    const events = (): Promise<any[]> =>
      make.sql("SELECT data FROM org_events WHERE type = 'database.over_quota' AND org_id = $1", [databases.orgId]);
    await eventually(async () => (await events()).length === 1, 'its event is announced');
    expect((await events())[0].data).toMatchObject({ database_id: id, read_only_because: 'quota' });

    await resize(GB);
    await sweep();
    expect(await shown()).toBeNull();
    expect(await restriction()).toBe('none');
  });

  it('is writable again with a larger plan, and read-only with a smaller one, which deletes nothing', async () => {
    await resize(2 * GB);
    await sweep();
    expect(await shown()).toBe('quota');
    await make.plan(databases.orgId, 'builder');
    await sweep();
    expect(await shown()).toBeNull();
    for (let count = 0; count < 3; count++) await databases.created();
    await make.plan(databases.orgId, 'free');
    await sweep();
    expect(await databases.get(id)).toMatchObject({ state: 'ready', read_only_because: 'quota' });
    expect(
      await make.sql('SELECT FROM databases WHERE org_id = $1 AND deleted_at IS NULL', [databases.orgId]),
    ).toHaveLength(4);
  });

  it('ends sessions that write beyond 110 %, and lets only readers in after the third time', async () => {
    const ended = jest.spyOn(engine(), 'endWriters').mockResolvedValue(1);
    const [{ cluster_id } = {}] = await make.sql('SELECT cluster_id FROM databases WHERE id = $1', [id]);
    const times = (): number => ended.mock.calls.filter(([clusterId]) => clusterId === cluster_id).length;
    await resize(1.1 * GB);
    await sweep();
    expect(times()).toBe(0);
    await resize(1.1 * GB + 1);
    for (let time = 1; time <= 3; time++) {
      await sweep();
      expect([times(), await restriction()]).toEqual([time, 'read_only']);
    }
    await sweep();
    expect([times(), await restriction()]).toEqual([3, 'reader_only']);
    await make.plan(databases.orgId, 'pro');
    await sweep();
    expect(await restriction()).toBe('none');
  });

  it('is restricted by a later sweep when the engine fails, and keeps no other from being restricted', async () => {
    const other = await databases.ready();
    await make.sql('UPDATE databases SET size_bytes = $2 WHERE org_id = $1', [databases.orgId, 2 * GB]);
    const restrict = jest.spyOn(engine(), 'restrict').mockRejectedValue(new Error('a fault'));
    await sweep();
    expect([await shown(), await restriction()]).not.toEqual(['quota', 'read_only']);
    restrict.mockRestore();
    await sweep();
    expect(await restriction()).toBe('read_only');
    expect((await databases.get(other.id as string)).read_only_because).toBe('quota');
  });

  it.each([
    ['it is known to be writable', 'restricted', 'none'],
    ['anything changes', 'restricting', 'none'],
  ] as const)('is as it was decided last when its host dies before %s', async (_name, step, expected) => {
    const data = new DatabaseData(app, databases);
    const written = (): Promise<unknown> => data.query(id, 'CREATE TABLE IF NOT EXISTS marks (n int)');
    await resize(GB + 1);
    await sweep();
    await expect(written()).rejects.toThrow('read-only');
    // The host puts the one in force, and it is the other by the time that the next one starts.
    const dies = (): unknown => jest.spyOn(app.get(DatabaseSizesStore), step).mockRejectedValueOnce(new Error('dead'));
    await resize(GB);
    dies();
    await sweep();
    await data.sleep(id);
    await resize(GB + 1);
    await sweep();
    await expect(written()).rejects.toThrow('read-only');
    await resize(GB);
    await sweep();
    await written();
    await resize(GB + 1);
    dies();
    await sweep();
    await data.sleep(id);
    await resize(GB);
    await sweep();
    await written();
    expect(await restriction()).toBe(expected);
  });

  it('is read-only although it was woken at the moment at which it became so', async () => {
    const data = new DatabaseData(app, databases);
    await data.query(id, 'CREATE TABLE marks (n int)');
    await data.sleep(id);
    const records = app.get(ClusterRecords);
    const change = records.change.bind(records);
    jest.spyOn(records, 'change').mockImplementationOnce(async (...parts) => {
      await data.query(id, 'INSERT INTO marks VALUES (1)');
      await change(...parts);
    });
    await resize(GB + 1);
    await sweep();
    await expect(data.query(id, 'INSERT INTO marks VALUES (2)')).rejects.toThrow('read-only');
  });

  it('is restricted again when its data is exchanged for other data', async () => {
    await sweep();
    const restrict = jest.spyOn(engine(), 'restrict').mockResolvedValue();
    await make.sql("UPDATE databases SET cluster_id = 'clu_other' WHERE id = $1", [id]);
    await sweep();
    expect(restrict).toHaveBeenCalledWith('clu_other', 'none');
    await make.sql("UPDATE databases SET state = 'deleting', deleted_at = now() WHERE id = $1", [id]);
  });
});

describe('a database that nothing pays for', () => {
  it('is read-only until there are credits or a plan that bills usage', async () => {
    await make.spendCredits(databases.orgId);
    await sweep();
    expect([await shown(), await restriction()]).toEqual(['credits', 'read_only']);
    await resize(2 * GB);
    await sweep();
    expect(await shown()).toBe('credits');
    await make.plan(databases.orgId, 'builder');
    await sweep();
    expect([await shown(), await restriction()]).toEqual([null, 'none']);
  });
});

describe('what databases cost', () => {
  const sampled = async (name: string): Promise<any[]> =>
    make.sql(
      `SELECT quantity::text, project_id, occurred_at FROM usage_events
       WHERE source = 'storage.databases' AND source_id = $1 ORDER BY occurred_at`,
      [name],
    );
  /** Samples as if it were this many hours later. */
  async function sampleIn(hours: number): Promise<void> {
    const at = new Date(Date.now() + hours * 3_600_000);
    const now = jest.spyOn(app.get(Clock), 'now').mockImplementation(() => at);
    await app.get(StorageSampler).sample();
    now.mockRestore();
  }

  it('is their size each hour, asleep or not, by project, and nothing for deleted and empty ones', async () => {
    const project = await databases.project();
    const second = await databases.ready({ project_id: project.id });
    await resize(700_000_000);
    await make.sql('UPDATE databases SET size_bytes = 5000000 WHERE id = $1', [second.id]);
    await sampleIn(1);
    await sampleIn(1);
    expect(await sampled(id)).toMatchObject([{ quantity: '700000000', project_id: null }]);
    expect(await sampled(second.id as string)).toMatchObject([{ quantity: '5000000', project_id: project.id }]);

    await databases.deleted(second.id as string);
    await resize(0);
    await sampleIn(2);
    expect([(await sampled(id)).length, (await sampled(second.id as string)).length]).toEqual([1, 1]);
    // The time while it was deleted is not made up for.
    await databases.undelete(second.id as string);
    await sampleIn(5);
    expect(await sampled(second.id as string)).toHaveLength(2);
  });
});
