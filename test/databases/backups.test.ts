import { BackupBlobs } from '../../src/modules/databases/backups/backup-blobs.js';
import { BackupPrograms } from '../../src/modules/databases/backups/backup-programs.js';
import { ExpiredBackups } from '../../src/modules/databases/backups/expired-backups.js';
import { DatabaseBackupsStore } from '../../src/modules/databases/persistence/database-backups.store.js';
import { WalArchivesStore } from '../../src/modules/databases/persistence/wal-archives.store.js';
import { Clock } from '../../src/platform/time/clock.js';
import { as, Make } from '../support/make.js';
import { codeOf, DATABASES, Databases } from '../support/databases.js';
import { onThisMachine } from '../support/patience.js';
import { useApp } from '../support/test-app.js';
import { DatabaseData } from './database-data.js';

jest.setTimeout(onThisMachine(60_000));

const app = useApp({}, 'all');
const databases = new Databases(app);
const data = new DatabaseData(app, databases);
const make = new Make(app);
const NOBODY = 'db_00000000000000000000000000';

beforeAll(() => databases.begin());
afterEach(() => jest.restoreAllMocks());

async function blobsOf(clusterId: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of app.get(BackupBlobs).list(`clusters/${clusterId}/`)) keys.push(key);
  return keys.sort();
}

const segmentsOf = (clusterId: string) =>
  make.sql('SELECT first_segment, last_segment FROM database_wal_ranges WHERE cluster_id = $1 ORDER BY 1', [clusterId]);

describe('the log of a database', () => {
  it('is stored when it goes to sleep, without a gap, and nothing is left in its archive', async () => {
    const { id } = await data.marked();
    const clusterId = await data.clusterOf(id);
    for (let round = 0; round < 3; round++) {
      await data.query(id, `INSERT INTO marks VALUES (${round})`);
      await data.sleep(id);
    }
    const ranges = await segmentsOf(clusterId);
    expect(ranges.length).toBeGreaterThanOrEqual(3);
    for (const [index, { first_segment: first }] of ranges.slice(1).entries())
      expect(Number(first)).toBe(Number(ranges[index]!['last_segment']) + 1);
    const left = await app.get(BackupPrograms).require(clusterId, {
      script: 'ls /cluster/archive | wc -l',
      output: async (stdout) => (await stdout.toArray()).join('').trim(),
    });
    expect(left).toBe('0');
  });

  it('is stored once when storing is interrupted', async () => {
    const { id } = await data.marked();
    const clusterId = await data.clusterOf(id);
    await data.backedUp(id);
    jest.spyOn(app.get(BackupBlobs), 'put').mockRejectedValueOnce(new Error('interrupted'));
    await data.query(id, 'INSERT INTO marks VALUES (1)');
    await data.sleep(id);
    await data.query(id, 'INSERT INTO marks VALUES (2)');
    const moment = new Date();
    await data.sleep(id);
    const ranges = await segmentsOf(clusterId);
    for (const [index, { first_segment: first }] of ranges.slice(1).entries())
      expect(Number(first)).toBe(Number(ranges[index]!['last_segment']) + 1);
    expect(await data.marks((await data.restored(id, moment)).id)).toEqual([1, 2]);
  });
});

describe('/api/v1/databases/:database_id/backups', () => {
  it('makes the first backup of a database that was used, and deletes what the plan no longer keeps', async () => {
    const { id } = await data.marked();
    const clusterId = await data.clusterOf(id);
    await data.sleep(id);
    await app.runSchedule('database-backups');
    const list = await app.fetch(`${DATABASES}/${id}/backups`, as(databases.key));
    expect(list.body.data).toEqual([
      {
        id: expect.stringMatching(/^dbk_/),
        kind: 'scheduled',
        state: expect.stringMatching(/^(ready|pending)$/),
        size_bytes: expect.any(Number),
        created_at: expect.any(String),
        finished_at: list.body.data[0].state === 'ready' ? expect.any(String) : null,
      },
    ]);
    const second = await data.backedUp(id);
    expect((await blobsOf(clusterId)).some((key) => key.includes(second.id))).toBe(true);

    const clock = app.get(Clock);
    const now = clock.now.bind(clock);
    // Fifteen days later: Pro restores fourteen.
    jest.spyOn(clock, 'now').mockImplementation(() => new Date(now().getTime() + 15 * 86_400_000));
    await app.get(ExpiredBackups).delete(new AbortController().signal);
    jest.restoreAllMocks();
    const left = await app.fetch(`${DATABASES}/${id}/backups`, as(databases.key));
    expect(left.body.data.map((each: { id: string }) => each.id)).toEqual([second.id]);
    const bases = (await blobsOf(clusterId)).filter((key) => key.includes('/bases/'));
    expect(bases.length).toBeGreaterThan(0);
    expect(bases.every((key) => key.includes(second.id))).toBe(true);
    expect((await databases.get(id)).restorable.from).toBe(second.finished_at);
  });

  it('deletes what the plan no longer keeps, however often it dies, and nothing that a restore needs', async () => {
    const { id } = await data.marked();
    const clusterId = await data.clusterOf(id);
    await data.backedUp(id);
    await data.query(id, 'INSERT INTO marks VALUES (1)');
    await data.sleep(id);
    const second = await data.backedUp(id);
    await data.query(id, 'INSERT INTO marks VALUES (2)');
    const clock = app.get(Clock);
    const now = clock.now.bind(clock);
    const expire = async (): Promise<void> => {
      // Fifteen days later: Pro restores fourteen.
      const later = jest.spyOn(clock, 'now').mockImplementation(() => new Date(now().getTime() + 15 * 86_400_000));
      try {
        await app.get(ExpiredBackups).delete(new AbortController().signal);
      } finally {
        later.mockRestore();
      }
    };
    const dead = new Error('dead');
    const blobs = app.get(BackupBlobs);
    const remove = blobs.delete.bind(blobs);
    const deaths = [
      () => jest.spyOn(blobs, 'delete').mockRejectedValueOnce(dead),
      () =>
        jest.spyOn(blobs, 'delete').mockImplementationOnce(async (key) => {
          await remove(key);
          throw dead;
        }),
      () => jest.spyOn(app.get(DatabaseBackupsStore), 'delete').mockRejectedValueOnce(dead),
      () => jest.spyOn(app.get(WalArchivesStore), 'deleteRange').mockRejectedValueOnce(dead),
    ];
    for (const die of deaths) {
      const death = die();
      await expect(expire()).rejects.toThrow('dead');
      death.mockRestore();
    }
    // A backup that is finished meanwhile makes none of those count again of which a part is gone.
    const third = await data.backedUp(id);
    expect((await databases.get(id)).restorable.from).toBe(second.finished_at);
    const restored = await data.restored(id, new Date());
    expect(await data.marks(restored.id)).toEqual([1, 2]);
    await expire();
    const list = await app.fetch(`${DATABASES}/${id}/backups`, as(databases.key));
    expect(list.body.data.map((each: { id: string }) => each.id)).toEqual([third.id]);
    expect((await databases.get(id)).restorable.from).toBe(third.finished_at);
    const ranges = await segmentsOf(clusterId);
    const left = await blobsOf(clusterId);
    expect(left.filter((key) => key.includes('/bases/')).every((key) => key.includes(third.id))).toBe(true);
    expect(left.filter((key) => key.includes('/wal/'))).toHaveLength(ranges.length);
  });

  it('deletes everything that no database has any longer', async () => {
    const { id } = await data.marked();
    const clusterId = await data.clusterOf(id);
    await data.backedUp(id);
    await make.sql('UPDATE databases SET cluster_id = $2 WHERE id = $1', [id, `${clusterId.slice(0, -1)}0`]);
    await app.get(ExpiredBackups).delete(new AbortController().signal);
    expect(await blobsOf(clusterId)).toEqual([]);
    expect(await segmentsOf(clusterId)).toEqual([]);
  });

  it('returns 401, 403, 404 and 409', async () => {
    const { id } = await databases.ready();
    const path = `${DATABASES}/${id}/backups`;
    const reader = await make.key(databases.owner, { scopes: ['databases:read'] });
    const others = await make.key(await make.person());
    expect(codeOf(await app.fetch(path))).toEqual([401, 'missing_api_key']);
    expect(codeOf(await app.call('POST', path, as(reader)))).toEqual([403, 'insufficient_scopes']);
    expect(codeOf(await app.fetch(`${path}?limit=0`, as(reader)))).toEqual([400, 'invalid_request']);
    const missing = await app.fetch(`${DATABASES}/${NOBODY}/backups`, as(databases.key));
    expect(codeOf(missing)).toEqual([404, 'database_not_found']);
    expect((await app.fetch(path, as(others))).body.error).toEqual(missing.body.error);
    await databases.deleted(id);
    expect(codeOf(await app.call('POST', path, as(databases.key)))).toEqual([404, 'database_not_found']);
  });
});
