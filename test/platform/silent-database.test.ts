import type { DataSource } from 'typeorm';
import { isDatabaseUnavailable } from '../../src/platform/database/database-unavailable.js';
import { createDataSource } from '../../src/roles/data-source.js';
import { DroppingRelay } from '../support/dropping-relay.js';
import { NetworkPostgres } from '../support/network-postgres.js';
import { onThisMachine } from '../support/patience.js';

jest.setTimeout(onThisMachine(60_000));

/** Two seconds until it asks, and two questions of two seconds; the system would need a quarter of an hour. */
const GIVES_UP_WITHIN_MS = 8_000;

describe('a PostgreSQL that the network hides', () => {
  const server = new NetworkPostgres();
  let relay: DroppingRelay;
  let dataSource: DataSource;

  beforeAll(async () => {
    await server.start();
    relay = await DroppingRelay.start(() => Promise.resolve(Number(new URL(server.url('')).port)));
    dataSource = await createDataSource({ url: `postgres://app@127.0.0.1:${relay.port}/postgres` }).initialize();
  });

  afterAll(async () => {
    await dataSource.destroy();
    await relay.stop();
    await server.stop();
  });

  it('fails statements that wait, and those after them, within seconds, and is used again later', async () => {
    const connections = Array.from({ length: 3 }, () => dataSource.query('SELECT 1'));
    await Promise.all(connections);
    relay.drop();
    const fromMs = performance.now();
    const failed = await Promise.all(
      Array.from({ length: 3 }, () => dataSource.query('SELECT 1').catch((error: unknown) => error)),
    );
    expect(performance.now() - fromMs).toBeLessThan(onThisMachine(GIVES_UP_WITHIN_MS));
    expect(failed.map(isDatabaseUnavailable)).toEqual([true, true, true]);
    const next: unknown = await dataSource.query('SELECT 1').catch((error: unknown) => error);
    expect(isDatabaseUnavailable(next)).toBe(true);
    relay.mend();
    expect(await dataSource.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('lets a statement that takes long go on, as the server answers', async () => {
    expect(await dataSource.query("SELECT pg_sleep(9)::text, 'done' AS text")).toEqual([
      { pg_sleep: '', text: 'done' },
    ]);
  });

  it('does not count the time between two statements as silence', async () => {
    const runner = dataSource.createQueryRunner();
    await runner.query('SELECT 1');
    await new Promise((resolve) => setTimeout(resolve, 3_500));
    relay.drop();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    relay.mend();
    expect(await runner.query('SELECT 2 AS two')).toEqual([{ two: 2 }]);
    await runner.release();
  });
});
