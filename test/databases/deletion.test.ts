import { DatabaseEngine } from '../../src/modules/databases/engine/database-engine.js';
import { DatabaseRemovals } from '../../src/modules/databases/operations/database-removals.js';
import { codeOf, DATABASES, Databases } from '../support/databases.js';
import { as, expectStatus, Make } from '../support/make.js';
import { eventually, useApp } from '../support/test-app.js';

const app = useApp({}, 'all');
const make = new Make(app);
const databases = new Databases(app);

beforeAll(() => databases.begin());
afterEach(() => jest.restoreAllMocks());

const clusterOf = async (id: string): Promise<string> =>
  (await make.sql<{ cluster_id: string }>('SELECT cluster_id FROM databases WHERE id = $1', [id]))[0]!.cluster_id;
const pretendDeletedDaysAgo = (id: string, days: number): Promise<unknown> =>
  make.sql(`UPDATE databases SET deleted_at = now() - $2 * interval '1 day' WHERE id = $1`, [id, days]);

describe('a deleted database', () => {
  it('keeps its data for 7 days, and then goes with all that is kept for it', async () => {
    const drop = jest.spyOn(app.get(DatabaseEngine), 'drop');
    const removed: string[] = [];
    app.get(DatabaseRemovals).add(({ id }) => {
      removed.push(id);
      return Promise.resolve();
    });
    const { id } = await databases.ready();
    const clusterId = await clusterOf(id);
    await databases.deleted(id);
    await pretendDeletedDaysAgo(id, 6.9);
    await app.runSchedule('deleted-databases');
    expect(await databases.get(id)).toMatchObject({ state: 'deleted' });
    expect(drop).not.toHaveBeenCalled();

    await pretendDeletedDaysAgo(id, 7.1);
    expect(codeOf(await databases.undelete(id))).toEqual([404, 'database_not_found']);
    await app.runSchedule('deleted-databases');
    await eventually(
      async () => (await app.fetch(`${DATABASES}/${id}`, as(databases.key))).status === 404,
      'the row is gone',
    );
    expect(drop).toHaveBeenCalledWith(clusterId);
    expect(removed).toEqual([id]);
    expect(await make.sql('SELECT FROM database_operations WHERE database_id = $1', [id])).toEqual([]);
  });

  it('is either restored or removed when both race', async () => {
    for (let round = 0; round < 3; round++) {
      const { id } = await databases.ready();
      await databases.deleted(id);
      await pretendDeletedDaysAgo(id, 6.99999);
      const undeleted = databases.undelete(id);
      await make.sql(
        `UPDATE databases SET deleted_at = now() - interval '8 days' WHERE id = $1 AND state = 'deleted'`,
        [id],
      );
      await app.runSchedule('deleted-databases');
      const { status } = await undeleted;
      if (status === 200) expect(await databases.get(id)).toMatchObject({ state: 'ready', deleted_at: null });
      else
        await eventually(
          async () => (await app.fetch(`${DATABASES}/${id}`, as(databases.key))).status === 404,
          'the row is gone',
        );
    }
  });

  it('is removed although its stop fails at first', async () => {
    const sleep = jest.spyOn(app.get(DatabaseEngine), 'sleep');
    const { id } = await databases.ready();
    sleep.mockRejectedValueOnce(new Error('a fault'));
    await databases.deleted(id);
    expect(sleep.mock.calls.length).toBeGreaterThan(1);
  });

  it('is out of the plan: another can be created, and undoing the deletion needs room', async () => {
    const small = new Databases(app);
    await small.begin('free');
    const first = await small.ready();
    await small.created();
    await small.deleted(first.id);
    await small.created();
    expect(codeOf(await small.undelete(first.id))).toEqual([403, 'plan_limit_reached']);
  });

  it('is removed at once when that is asked for, and only then', async () => {
    const drop = jest.spyOn(app.get(DatabaseEngine), 'drop');
    const { id } = await databases.ready();
    const clusterId = await clusterOf(id);
    expect(codeOf(await databases.purge(id))).toEqual([404, 'database_not_found']);
    await databases.deleted(id);
    expectStatus(204, await databases.purge(id));
    await databases.gone(id);
    expect(drop).toHaveBeenCalledWith(clusterId);
    expect(codeOf(await databases.undelete(id))).toEqual([404, 'database_not_found']);
    const actions = await make.sql('SELECT action FROM audit_log WHERE target_id = $1', [id]);
    expect(actions.map(({ action }) => action)).toContain('database.purged');
  });

  it('is removed for another one when there are as many as the plan has databases', async () => {
    const small = new Databases(app);
    await small.begin('free');
    const ids: string[] = [];
    for (let count = 0; count < 3; count++) {
      const { id } = await small.ready();
      ids.push(id as string);
      await small.deleted(id);
    }
    await small.gone(ids[0]!);
    expect((await small.get(ids[1]!)).state).toBe('deleted');
    expect((await small.get(ids[2]!)).state).toBe('deleted');
  });

  it('lets its parent go before it', async () => {
    const [parent, child] = [await databases.ready(), await databases.ready()];
    await make.sql('UPDATE databases SET parent_id = $1 WHERE id = $2', [parent.id, child.id]);
    await databases.deleted(child.id);
    await databases.deleted(parent.id);
    await pretendDeletedDaysAgo(parent.id, 8);
    await app.runSchedule('deleted-databases');
    await eventually(
      async () => (await app.fetch(`${DATABASES}/${parent.id}`, as(databases.key))).status === 404,
      'the parent is gone',
    );
    expect(expectStatus(200, await databases.undelete(child.id)).body.data.parent_id).toBeNull();
  });
});

describe('the deletion of an organization', () => {
  it('deletes all of its databases, those with branches and those that are busy, too', async () => {
    const owner = await make.person();
    const org = await make.org(owner, { plan: 'pro' });
    const key = await make.key(owner);
    const ids: string[] = [];
    for (let count = 0; count < 3; count++)
      ids.push(expectStatus(201, await databases.create({ organization_id: org.id }, key)).body.data.id as string);
    const states = async (): Promise<string[]> =>
      (await make.sql<{ state: string }>('SELECT state FROM databases WHERE org_id = $1', [org.id])).map(
        ({ state }) => state,
      );
    await make.sql('UPDATE databases SET parent_id = $1 WHERE id = $2', [ids[0], ids[1]]);
    expectStatus(204, await app.call('DELETE', `/api/v1/orgs/${org.id}`, as(owner)));
    await eventually(async () => (await states()).every((state) => state === 'deleted'), 'all are deleted', 20_000);
  });
});
