import { Client } from 'pg';
import { Config } from '../../src/platform/config/config.js';
import { readSettings } from '../../src/platform/config/settings.js';
import { createDataSource } from '../../src/roles/data-source.js';
import { explain } from '../../src/roles/explain.js';
import { migrate } from '../../src/roles/migrate.js';
import { NetworkPostgres } from '../support/network-postgres.js';
import { onThisMachine } from '../support/patience.js';
import { makeScratchDirectory, removeScratchDirectory } from '../support/scratch-directory.js';
import { TestAuthority } from '../support/test-authority.js';
import { eventually, TestApp } from '../support/test-app.js';

jest.setTimeout(onThisMachine(60_000));

describe('PostgreSQL with TLS', () => {
  const directory = makeScratchDirectory();
  const server = new NetworkPostgres();
  let ca: string;
  let other: string;

  beforeAll(async () => {
    const authority = await TestAuthority.create(directory);
    ca = authority.file;
    other = (await TestAuthority.create(directory, 'other-authority')).file;
    // 127.0.0.1 is not one of its names.
    await server.start(await authority.issue('postgres', [{ type: 'dns', value: 'localhost' }]));
  });

  afterAll(async () => {
    await server.stop();
    removeScratchDirectory(directory);
  });

  const configOf = (url: string): Config => readSettings([], { ROLE: 'migrate', DATABASE_URL: url }).of(Config);

  /** Connects as every process of the service does. Returns whether that is encrypted, or what the operator reads. */
  async function connection(url: string): Promise<string> {
    const dataSource = createDataSource({ url: configOf(url).databaseUrl!, connectTimeoutMs: onThisMachine(2_000) });
    try {
      await dataSource.initialize();
      const [row] = await dataSource.query<{ ssl: boolean }[]>(
        'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
      );
      return row?.ssl === true ? 'encrypted' : 'plain';
    } catch (error) {
      return explain(error);
    } finally {
      if (dataSource.isInitialized) await dataSource.destroy();
    }
  }

  it.each([
    ['require, which checks nothing', 'sslmode=require', '127.0.0.1', 'encrypted'],
    [
      'require with an authority',
      () => `sslmode=require&sslrootcert=${other}`,
      'localhost',
      /certificate .* not valid/,
    ],
    ['verify-ca, whatever the name', () => `sslmode=verify-ca&sslrootcert=${ca}`, '127.0.0.1', 'encrypted'],
    ['verify-ca', () => `sslmode=verify-ca&sslrootcert=${other}`, 'localhost', /certificate .* not valid/],
    ['verify-full', () => `sslmode=verify-full&sslrootcert=${ca}`, 'localhost', 'encrypted'],
    [
      'verify-full and another name',
      () => `sslmode=verify-full&sslrootcert=${ca}`,
      '127.0.0.1',
      /not valid .*altnames/,
    ],
    ['an authority without a mode', () => `sslrootcert=${ca}`, '127.0.0.1', /not valid .*altnames/],
    ['verify-full with public authorities', 'sslmode=verify-full', 'localhost', /certificate .* not valid/],
    [
      'no TLS, which the server refuses',
      'sslmode=disable',
      'localhost',
      /refused the connection: no pg_hba.conf entry/,
    ],
  ])('connects with %s', async (_name, parameters, host, expected) => {
    const text = await connection(server.url(typeof parameters === 'string' ? parameters : parameters(), host));
    if (typeof expected === 'string') expect(text).toBe(expected);
    else expect(text).toMatch(expected);
  });

  it('says which part of an address is wrong, and shows none of it', () => {
    const faultOf = (parameters: string): string => {
      try {
        configOf(`postgres://app:hunter2@db.example.com/service?${parameters}`);
        return '';
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(faultOf('sslmode=prefer')).toContain('DATABASE_URL must have disable, require, verify-ca or verify-full');
    expect(faultOf('sslmode=verify-ca')).toContain('DATABASE_URL must name sslrootcert');
    expect(faultOf('sslmode=verify-full&sslrootcert=/nowhere.pem')).toContain('a file that can be read');
    expect(faultOf('sslmode=verify-full&sslcert=%2Fetc%2Fhostname')).toContain('both sslcert and sslkey');
    expect(faultOf('sslmode=verify-full&sslrootcert=system')).toBe('');
    expect(faultOf('sslmode=prefer')).not.toMatch(/hunter2|prefer$|example/);
    expect(() => configOf('postgres://app:hunter2@one,two:x/service')).toThrow(/must be a URL/);
  });

  it('is used by every connection of the service', async () => {
    const url = server.url(`sslmode=verify-full&sslrootcert=${ca}`);
    expect(await migrate(configOf(url).directDatabaseUrl!)).not.toEqual([]);
    const app = new TestApp({}, 'without_databases');
    await app.start({ database: { url, drop: () => Promise.resolve() } });
    try {
      const client = new Client({ connectionString: app.config.databaseUrl });
      await client.connect();
      // The server takes no other connections, so that those that are there are encrypted.
      await eventually(async () => {
        const { rows } = await client.query<{ name: string }>(
          'SELECT DISTINCT application_name AS name FROM pg_stat_activity JOIN pg_stat_ssl USING (pid) WHERE ssl',
        );
        const names = rows.map(({ name }) => name);
        return ['service-platform', 'service-platform-listener', 'service-platform aliases'].every((name) =>
          names.includes(name),
        );
      }, 'all kinds of connections are open');
      await client.end();
    } finally {
      await app.stop();
    }
  });
});
