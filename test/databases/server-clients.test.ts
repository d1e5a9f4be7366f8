import { DATABASES } from '../support/databases.js';
import { as, expectStatus } from '../support/make.js';
import { type OpenedDatabase, Wire } from '../support/wire.js';
import { connectionCases } from './wire-cases.js';
import { ENGINES, useEngine } from './engines.js';
import { queryCases } from './query-cases.js';

/** What is true of databases with servers of their own is true of those on a server of the operator. */
describe("a database on the operator's server", () => {
  const app = useEngine(ENGINES[1]!);
  const wire = new Wire(app);
  let opened: OpenedDatabase;
  let queried: string;

  beforeAll(async () => {
    await wire.begin();
    opened = await wire.database();
    queried = (await wire.ready()).id as string;
  });

  connectionCases({ app, wire, opened: () => opened });
  queryCases({ app, wire, databaseId: () => queried });

  it('is exported, and imported into another', async () => {
    const into = (await wire.ready()).id as string;
    const dump = expectStatus(200, await app.fetch(`${DATABASES}/${queried}/export`, as(wire.key)));
    const importing = app.call('POST', `${DATABASES}/${into}/import`, {
      ...as(wire.key, { headers: { 'content-type': 'application/octet-stream' } }),
      body: dump.text,
    });
    expectStatus(200, await importing);
    const counted = await wire.query(into, { sql: 'SELECT count(*)::int FROM people' });
    expect(counted.body.data.rows).toEqual([[2_500]]);
  });

  it('has as many connections as its plan', async () => {
    const free = new Wire(app);
    await free.begin('free');
    const { url } = await free.database();
    const clients = await Promise.all(Array.from({ length: 20 }, () => free.client(url)));
    let late = false;
    const waiting = free.client(url).then((client) => {
      late = true;
      return client;
    });
    await clients[0]!.query('SELECT 1');
    expect(late).toBe(false);
    await clients.shift()!.end();
    await Promise.all([...clients, await waiting].map((client) => client.end()));
  });
});
