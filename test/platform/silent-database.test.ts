import dns, { type LookupAddress } from 'node:dns';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { isDatabaseUnavailable } from '../../src/platform/database/database-unavailable.js';
import { createDataSource } from '../../src/roles/data-source.js';
import { DroppingRelay } from '../support/dropping-relay.js';
import { NetworkPostgres } from '../support/network-postgres.js';
import { onThisMachine } from '../support/patience.js';

jest.setTimeout(onThisMachine(60_000));

/** Two seconds until it asks, and two questions of two seconds; the system would need a quarter of an hour. */
const GIVES_UP_WITHIN_MS = 8_000;

/** A name that no name server knows. */
const NAME = 'database.invalid';

/** A statement of this limit, the time in which the server would report its end, and a look each second. */
const LIMIT_MS = 1_000;
const ENDS_BEYOND_LIMIT_WITHIN_MS = 10_000;

describe('a PostgreSQL that the network hides', () => {
  const server = new NetworkPostgres();
  const portOfServer = (): Promise<number> => Promise.resolve(Number(new URL(server.url('')).port));
  let relay: DroppingRelay;
  let dataSource: DataSource;

  const connectTo = (host: string, statementTimeoutMs?: number): Promise<DataSource> =>
    createDataSource({
      url: `postgres://app@${host}:${relay.port}/postgres`,
      ...(statementTimeoutMs === undefined ? {} : { statementTimeoutMs }),
    }).initialize();

  beforeAll(async () => {
    await server.start();
    relay = await DroppingRelay.start(portOfServer);
    dataSource = await connectTo('127.0.0.1');
  });

  afterEach(() => {
    jest.restoreAllMocks();
    relay.mend();
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

  it('lets a statement that takes long go on, as the server answers, and does not ask again and again', async () => {
    await dataSource.query('SELECT 1');
    const before = relay.accepted;
    expect(await dataSource.query("SELECT pg_sleep(9)::text, 'done' AS text")).toEqual([
      { pg_sleep: '', text: 'done' },
    ]);
    expect(relay.accepted - before).toBeGreaterThanOrEqual(1);
    // On a slow machine, the first question may be repeated.
    expect(relay.accepted - before).toBeLessThanOrEqual(2);
  });

  it('lets a statement wait while new connections are refused: a server that refuses is there', async () => {
    await dataSource.query('SELECT 1');
    const waiting: Promise<unknown> = dataSource.query("SELECT pg_sleep(1)::text, 'late' AS text");
    const ended = jest.fn();
    void waiting.then(ended, ended);
    relay.drop('refused');
    await sleep(GIVES_UP_WITHIN_MS);
    expect(ended).not.toHaveBeenCalled();
    relay.mend();
    expect(await waiting).toEqual([{ pg_sleep: '', text: 'late' }]);
  });

  it('lets a statement wait while the name of the server cannot be looked up', async () => {
    const addressOfName = nameLeadsTo('127.0.0.1');
    const named = await connectTo(NAME);
    addressOfName.fail();
    expect(await named.query("SELECT pg_sleep(8)::text, 'done' AS text")).toEqual([{ pg_sleep: '', text: 'done' }]);
    await named.destroy();
  });

  it('fails a statement whose server is gone when the name leads to another one, and uses that', async () => {
    const next = await DroppingRelay.start(portOfServer, { host: '127.0.0.2', port: relay.port });
    const addressOfName = nameLeadsTo('127.0.0.1');
    const named = await connectTo(NAME);
    await named.query('SELECT 1');
    relay.drop();
    addressOfName.become('127.0.0.2');
    const fromMs = performance.now();
    const failed: unknown = await named.query('SELECT 1').catch((error: unknown) => error);
    expect(performance.now() - fromMs).toBeLessThan(onThisMachine(GIVES_UP_WITHIN_MS));
    expect(isDatabaseUnavailable(failed)).toBe(true);
    expect(await named.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(next.accepted).toBeGreaterThan(0);
    relay.mend();
    await named.destroy();
    await next.stop();
  });

  it('fails a statement well beyond its limit, where another server answers at the same address', async () => {
    const limited = await connectTo('127.0.0.1', LIMIT_MS);
    await limited.query('SELECT 1');
    relay.drop('served');
    const fromMs = performance.now();
    const failed: unknown = await limited.query('SELECT 1').catch((error: unknown) => error);
    expect(performance.now() - fromMs).toBeGreaterThan(LIMIT_MS + 5_000);
    expect(performance.now() - fromMs).toBeLessThan(onThisMachine(ENDS_BEYOND_LIMIT_WITHIN_MS));
    expect(isDatabaseUnavailable(failed)).toBe(true);
    expect(await limited.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    relay.mend();
    await limited.destroy();
  });

  it('lets a transaction have a longer limit of its own', async () => {
    const limited = await connectTo('127.0.0.1', LIMIT_MS);
    await limited.transaction(async (manager) => {
      await manager.query("SELECT set_config('statement_timeout', '60s', true)");
      expect(await manager.query("SELECT pg_sleep(9)::text, 'done' AS text")).toEqual([{ pg_sleep: '', text: 'done' }]);
    });
    await expect(limited.query('SELECT pg_sleep(9)')).rejects.toMatchObject({ code: '57014' });
    await limited.destroy();
  });

  it('does not count the time between two statements as silence', async () => {
    const runner = dataSource.createQueryRunner();
    await runner.query('SELECT 1');
    await sleep(3_500);
    relay.drop();
    await sleep(1_500);
    relay.mend();
    expect(await runner.query('SELECT 2 AS two')).toEqual([{ two: 2 }]);
    await runner.release();
  });
});

interface AddressOfName {
  become(address: string): void;
  fail(): void;
}

/** Lets {@link NAME} lead to an address. Other names are looked up as before. */
function nameLeadsTo(first: string): AddressOfName {
  type Done = (error: Error | null, found?: string | LookupAddress[], family?: number) => void;
  const lookup = dns.lookup as unknown as (...parts: readonly [string, { readonly all?: boolean }, Done]) => unknown;
  let address: string | undefined = first;
  const faked: typeof lookup = (name, options, done) => {
    if (name !== NAME) return lookup(name, options, done);
    const failure = Object.assign(new Error(`getaddrinfo EAI_AGAIN ${name}`), { code: 'EAI_AGAIN' });
    if (address === undefined) process.nextTick(done, failure);
    else if (options.all === true) process.nextTick(done, null, [{ address, family: 4 }]);
    else process.nextTick(done, null, address, 4);
    return {};
  };
  jest.spyOn(dns, 'lookup').mockImplementation(faked as unknown as typeof dns.lookup);
  return {
    become: (next) => {
      address = next;
    },
    fail: () => {
      address = undefined;
    },
  };
}
