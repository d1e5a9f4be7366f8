import { expectStatus } from '../support/make.js';
import { useApp } from '../support/test-app.js';
import { Wire } from '../support/wire.js';

describe('the addresses of databases', () => {
  const app = useApp({ DATABASES_HOST: 'db.example.org', DATABASES_ADDRESS: 'localhost' }, 'all');
  const wire = new Wire(app);

  beforeAll(() => wire.begin());

  it('name the port that was picked, in the database and in the URL of a credential', async () => {
    const { database, url } = await wire.database();
    expect(database).toMatchObject({ host: 'db.example.org', port: app.databasesPort });
    expect(new URL(url)).toMatchObject({ hostname: 'db.example.org', port: String(app.databasesPort) });
  });

  it('are those of the settings for other processes of the service, which reach the database there', async () => {
    const { id } = await wire.ready();
    const rows = await wire.make.sql(
      'SELECT address FROM database_hosts WHERE id = (SELECT host_id FROM databases WHERE id = $1)',
      [id],
    );
    expect(rows).toEqual([{ address: `localhost:${app.databasesPort}` }]);
    const answer = expectStatus(200, await wire.query(id as string, { sql: 'SELECT 1 AS one' }));
    expect(answer.body.data.rows).toEqual([[1]]);
  });
});
