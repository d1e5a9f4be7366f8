import { DatabaseEngine } from '../../src/modules/databases/engine/database-engine.js';
import { as, Make } from '../support/make.js';
import { codeOf, DATABASES } from '../support/databases.js';
import { useApp } from '../support/test-app.js';
import { Wire } from '../support/wire.js';
import { queryCases } from './query-cases.js';

const app = useApp({}, 'all');
const wire = new Wire(app);
const make = new Make(app);
const NOBODY = 'db_00000000000000000000000000';
let id: string;

beforeAll(async () => {
  await wire.begin();
  id = (await wire.ready()).id as string;
});

queryCases({ app, wire, databaseId: () => id });

describe('a database that cannot be reached', () => {
  it('returns 503', async () => {
    const connect = jest.spyOn(app.get(DatabaseEngine), 'connect').mockRejectedValue(new Error('broken'));
    expect(codeOf(await wire.query(id, { sql: 'SELECT 1' }))).toEqual([503, 'database_unavailable']);
    connect.mockRestore();
  });
});

describe('every endpoint', () => {
  const calls: [string, (database: string, key: string) => Promise<any>][] = [
    ['query', (database, key) => wire.query(database, { sql: 'SELECT 1' }, key)],
    ['schema', (database, key) => app.fetch(`${DATABASES}/${database}/schema`, as(key))],
    ['stats', (database, key) => app.fetch(`${DATABASES}/${database}/stats`, as(key))],
  ];

  it.each(calls)('%s returns 401, 403 and 404, and the same to another tenant', async (_, call) => {
    expect((await call(id, 'none')).status).toBe(401);
    const weak = await make.key(wire.owner, { scopes: ['projects:read'] });
    expect(codeOf(await call(id, weak))).toEqual([403, 'insufficient_scopes']);
    const missing = await call(NOBODY, wire.key);
    expect(codeOf(missing)).toEqual([404, 'database_not_found']);
    const outsider = await make.key(await make.person());
    expect((await call(id, outsider)).body.error).toEqual(missing.body.error);
  });
});
