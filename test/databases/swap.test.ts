import { DatabasesStore } from '../../src/modules/databases/persistence/databases.store.js';
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
afterEach(() => jest.restoreAllMocks());

const swap = (id: string, other: string, key = databases.key) => data.post(id, 'swap', { with: other }, key);

async function twoMarked(): Promise<[any, any]> {
  const [one, other] = [await data.marked(), await data.marked()];
  await data.query(one.id, 'INSERT INTO marks VALUES (1)');
  await data.query(other.id, 'INSERT INTO marks VALUES (2)');
  return [one, other];
}

describe('POST /api/v1/databases/:database_id/swap', () => {
  it('exchanges the data, keeps names, and ends the sessions of both', async () => {
    const [one, other] = await twoMarked();
    const clients = await Promise.all(
      [one, other].map(async ({ id }) => data.engine.client(await data.clusterOf(id as string))),
    );
    const swapped = expectStatus(200, await swap(one.id, other.id)).body.data;
    expect(swapped).toMatchObject({ id: one.id, name: one.name, database: one.database, state: 'ready' });
    for (const client of clients) await expect(client.query('SELECT 1')).rejects.toThrow();
    expect([await data.marks(one.id), await data.marks(other.id)]).toEqual([[2], [1]]);
    expectStatus(200, await swap(other.id, one.id));
    expect([await data.marks(one.id), await data.marks(other.id)]).toEqual([[1], [2]]);
  });

  it('exchanges a database with what was branched from it, and the branch stays one', async () => {
    const one = await data.marked();
    const branch = await data.branched(one.id, `${one.name} branch`);
    expect(expectStatus(200, await swap(one.id, branch.id)).body.data.parent_id).toBe(branch.id);
    expect((await databases.get(branch.id)).parent_id).toBeNull();
  });

  it('leaves both as they were, or swapped once, when it is interrupted', async () => {
    const [one, other] = await twoMarked();
    const store = app.get(DatabasesStore);
    jest.spyOn(store, 'swap').mockRejectedValueOnce(new Error('interrupted'));
    expectStatus(200, await swap(one.id, other.id));
    expect([await data.marks(one.id), await data.marks(other.id)]).toEqual([[2], [1]]);
  });

  it('changes nothing in a dry run', async () => {
    const [one, other] = await twoMarked();
    const path = `${DATABASES}/${one.id}/swap`;
    const { headers } = as(databases.key);
    expectStatus(200, await app.post(path, { with: other.id }, { headers: { ...headers, 'dry-run': 'true' } }));
    expect([await data.marks(one.id), await data.marks(other.id)]).toEqual([[1], [2]]);
  });

  it('returns 400, 401, 403, 404 and 409', async () => {
    const [one, other] = [await databases.ready(), await databases.ready()];
    const path = `${DATABASES}/${one.id}/swap`;
    const writer = await make.key(databases.owner, { scopes: ['databases:write'] });
    const outsider = await make.key(await make.person());
    expect(codeOf(await app.post(path, {}, as(databases.key)))).toEqual([400, 'invalid_request']);
    expect(codeOf(await app.post(path, { with: other.id }))).toEqual([401, 'missing_api_key']);
    expect(codeOf(await swap(one.id, other.id, writer))).toEqual([403, 'insufficient_scopes']);
    expect(codeOf(await swap(one.id, other.id, outsider))).toEqual([404, 'database_not_found']);
    expect(codeOf(await swap(one.id, NOBODY))).toEqual([404, 'database_not_found']);
    expect(codeOf(await swap(one.id, one.id))).toEqual([409, 'databases_not_swappable']);
  });
});
