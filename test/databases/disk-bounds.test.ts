import { BackupBlobs } from '../../src/modules/databases/backups/backup-blobs.js';
import { DatabaseEngine } from '../../src/modules/databases/engine/database-engine.js';
import { ExpiredBackups } from '../../src/modules/databases/backups/expired-backups.js';
import { eventually, useApp } from '../support/test-app.js';
import { onThisMachine } from '../support/patience.js';
import { Wire } from '../support/wire.js';
import { DatabaseData } from './database-data.js';

jest.setTimeout(onThisMachine(60_000));

const app = useApp({}, 'all');
const wire = new Wire(app);
const data = new DatabaseData(app, wire);
const GIB = 1_073_741_824;

interface Facts {
  readonly clusterId: string;
  readonly disk: number;
  readonly undrained: number;
  readonly because: string | null;
  readonly restriction: string | null;
}

beforeAll(() => wire.begin('free'));
afterEach(() => jest.restoreAllMocks());

async function factsOf(id: string): Promise<Facts> {
  const [row] = await wire.make.sql<Facts>(
    `SELECT cluster_id AS "clusterId", disk_bytes::float8 AS disk, undrained_bytes::float8 AS undrained,
       read_only_because AS because, restriction
     FROM databases WHERE id = $1`,
    [id],
  );
  return row!;
}

const takes = (id: string, { disk = 0, undrained = 0 }): Promise<unknown> =>
  wire.make.sql('UPDATE databases SET disk_bytes = $2, undrained_bytes = $3 WHERE id = $1', [id, disk, undrained]);
const sweep = (): Promise<unknown> => app.runSchedule('database-quotas');
const archive = (): Promise<unknown> => app.runSchedule('database-archives');

describe('the disk of a database', () => {
  it('is counted with its log, also while the log cannot be stored, of which nothing is lost', async () => {
    const { database, url } = await wire.database();
    const id = database.id as string;
    const owner = await wire.client(url);
    const put = jest.spyOn(app.get(BackupBlobs), 'put').mockRejectedValue(new Error('no storage'));
    await owner.query('CREATE TABLE t AS SELECT n, repeat(md5(n::text), 30) AS text FROM generate_series(1, 50000) n');
    await eventually(async () => {
      await archive();
      return (await factsOf(id)).undrained > 32 * 1_048_576;
    }, 'the waiting log was counted');
    const { clusterId, disk } = await factsOf(id);
    expect(disk).toBeGreaterThan(80 * 1_048_576);
    expect(put).toHaveBeenCalled();
    const ranges = (): Promise<unknown[]> =>
      wire.make.sql('SELECT FROM database_wal_ranges WHERE cluster_id = $1', [clusterId]);
    expect(await ranges()).toEqual([]);

    put.mockRestore();
    await eventually(async () => {
      await archive();
      return (await factsOf(id)).undrained < 32 * 1_048_576;
    }, 'the log was stored');
    expect((await ranges()).length).toBeGreaterThan(1);
    await owner.end();
    await wire.deleted(id);
  });

  it('makes a database read-only while too much of its log waits, until half of that is stored', async () => {
    const id = (await wire.ready()).id as string;
    await takes(id, { undrained: 2 * GIB });
    await sweep();
    expect(await factsOf(id)).toMatchObject({ because: null, restriction: 'none' });
    await takes(id, { undrained: 2 * GIB + 1 });
    await sweep();
    expect(await factsOf(id)).toMatchObject({ because: 'archive', restriction: 'read_only' });
    expect((await wire.get(id)).read_only_because).toBe('archive');
    const refused = await wire.query(id, { sql: 'CREATE TABLE t (id int)', access: 'write' });
    expect(refused.status).toBe(400);
    await takes(id, { undrained: GIB + 1 });
    await sweep();
    expect(await factsOf(id)).toMatchObject({ because: 'archive' });
    await takes(id, { undrained: GIB });
    await sweep();
    expect(await factsOf(id)).toMatchObject({ because: null, restriction: 'none' });
    await wire.deleted(id);
  });

  it('makes a database read-only beyond it, and stops the server of one that grows on', async () => {
    const id = (await wire.ready()).id as string;
    const { clusterId } = await factsOf(id);
    const sleep = jest.spyOn(app.get(DatabaseEngine), 'sleep');
    const stopped = (): number => sleep.mock.calls.filter(([each]) => each === clusterId).length;
    await takes(id, { disk: 5.5e9 });
    await sweep();
    expect(await factsOf(id)).toMatchObject({ because: 'disk', restriction: 'read_only' });
    expect(stopped()).toBe(0);
    await takes(id, { disk: 6.8e9 });
    await sweep();
    expect(stopped()).toBe(1);
    await takes(id, {});
    await sweep();
    expect(await factsOf(id)).toMatchObject({ because: null, restriction: 'none' });
    await wire.deleted(id);
  });

  it('bounds the temporary files of a session by a tenth of the quota', async () => {
    await wire.make.plan(wire.orgId, 'builder');
    const { database, url } = await wire.database();
    const owner = await wire.client(url);
    expect((await owner.query('SHOW temp_file_limit')).rows).toEqual([{ temp_file_limit: '976562kB' }]);
    await owner.end();
    await wire.deleted(database.id as string);
    await wire.make.plan(wire.orgId, 'free');
  });
});

describe('the backups of a database', () => {
  it('have a figure, and a base is due at once when the log since the last one takes too much', async () => {
    const { id } = await data.marked();
    await data.query(id as string, 'INSERT INTO marks VALUES (1)');
    await data.backedUp(id as string);
    const { clusterId } = await factsOf(id as string);
    await eventually(async () => {
      const pending = "SELECT FROM database_backups WHERE cluster_id = $1 AND state = 'pending'";
      return (await wire.make.sql(pending, [clusterId])).length === 0;
    }, 'no backup waits any more');
    // The bound of this plan is 15 GB, of which a quarter is less.
    await wire.make.sql(
      `INSERT INTO database_wal_ranges (cluster_id, timeline, first_segment, last_segment, bytes, stored_at)
       SELECT cluster_id, timeline, max(last_segment) + 100, max(last_segment) + 100, 5000000000, now()
       FROM database_wal_ranges WHERE cluster_id = $1 GROUP BY cluster_id, timeline`,
      [clusterId],
    );
    const begun = new Date();
    await app.get(ExpiredBackups).delete(new AbortController().signal);
    const { text } = await app.fetch('/metrics');
    const stored = Number(/^database_stored_bytes\{part="backups"[^}]*\} (\S+)$/m.exec(text)?.[1]);
    expect(stored).toBeGreaterThan(5e9);
    await eventually(async () => {
      const rows = await wire.make.sql(
        "SELECT FROM database_backups WHERE cluster_id = $1 AND kind = 'scheduled' AND created_at > $2",
        [clusterId, begun],
      );
      return rows.length > 0;
    }, 'another base is planned');
  });
});
