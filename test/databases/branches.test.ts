import { DatabaseEngine } from '../../src/modules/databases/engine/database-engine.js';
import { as, expectStatus, Make } from '../support/make.js';
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

describe('POST /api/v1/databases/:database_id/branches', () => {
  it('copies a sleeping database, and neither sees changes of the other', async () => {
    const { id, name } = await data.marked();
    await data.query(id, 'INSERT INTO marks SELECT generate_series(1, 100)');
    await data.sleep(id);
    const branch = await data.branched(id, `${name} asleep`);
    expect(branch).toMatchObject({ parent_id: id, state: 'ready', size_bytes: expect.any(Number) });
    await data.query(branch.id, 'DELETE FROM marks WHERE n > 1; INSERT INTO marks VALUES (200)');
    expect(await data.marks(branch.id)).toEqual([1, 200]);
    expect(await data.marks(id)).toHaveLength(100);
    await data.query(id, 'TRUNCATE marks');
    expect(await data.marks(branch.id)).toEqual([1, 200]);
  });

  it('copies a database while it is written to, with all that was committed before', async () => {
    const { id, name } = await data.marked();
    const client = await data.engine.client(await data.clusterOf(id));
    try {
      await client.query('INSERT INTO marks VALUES (0)');
      const over = new AbortController();
      let last = 0;
      const writing = (async () => {
        while (!over.signal.aborted) await client.query(`INSERT INTO marks VALUES (${++last})`);
      })();
      const answer = await data.post(id, 'branches', { name: `${name} running` });
      const before = last;
      const branch = await databases.until(expectStatus(201, answer).body.data.id as string, 'ready');
      over.abort();
      await writing;
      const copied = await data.marks(branch.id);
      // A whole beginning of what was written, and all of what was written before it was asked for.
      expect(copied).toEqual(copied.map((_, index) => index));
      expect(copied.length).toBeGreaterThanOrEqual(before);
      expect(await data.marks(id)).toHaveLength(last + 1);
    } finally {
      await client.end();
    }
  });

  it('lists the branches of a database, which keep it from deletion', async () => {
    const { id, name } = await data.marked();
    const branch = await data.branched(id, `${name} listed`);
    const list = await app.fetch(`${DATABASES}/${id}/branches`, as(databases.key));
    expect(expectStatus(200, list).body.data.map((each: { id: string }) => each.id)).toEqual([branch.id]);
    expect(codeOf(await databases.delete(id))).toEqual([409, 'branch_has_children']);
    await databases.deleted(branch.id);
    expectStatus(204, await databases.delete(id));
  });

  it('becomes whole when an attempt is interrupted', async () => {
    const { id, name } = await data.marked();
    await data.query(id, 'INSERT INTO marks VALUES (7)');
    const engine = app.get(DatabaseEngine) as unknown as { complete(clusterId: string, like: string): Promise<void> };
    const failing = jest.spyOn(engine, 'complete').mockRejectedValueOnce(new Error('interrupted'));
    const branch = await data.branched(id, `${name} again`);
    expect(failing).toHaveBeenCalledTimes(2);
    expect(await data.marks(branch.id)).toEqual([7]);
  });

  it('returns 400, 401, 403 and 404', async () => {
    const { id } = await databases.ready();
    const path = `${DATABASES}/${id}/branches`;
    const reader = await make.key(databases.owner, { scopes: ['databases:read'] });
    const outsider = await make.key(await make.person());
    const name = { name: 'x' };
    expect(codeOf(await app.post(path, {}, as(databases.key)))).toEqual([400, 'invalid_request']);
    expect(codeOf(await app.post(path, name))).toEqual([401, 'missing_api_key']);
    expect(codeOf(await app.post(path, name, as(reader)))).toEqual([403, 'insufficient_scopes']);
    const missing = await app.post(`${DATABASES}/${NOBODY}/branches`, name, as(databases.key));
    const others = await app.post(path, name, as(outsider));
    expect(codeOf(missing)).toEqual([404, 'database_not_found']);
    expect(others.body.error).toEqual(missing.body.error);
    expect(codeOf(await app.fetch(path))).toEqual([401, 'missing_api_key']);
    expect(codeOf(await app.fetch(path, as(outsider)))).toEqual([404, 'database_not_found']);
  });
});
