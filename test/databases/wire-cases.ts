import { once } from 'node:events';
import { DatabaseEngine } from '../../src/modules/databases/engine/database-engine.js';
import { cancelPacketOf } from '../../src/modules/databases/wire/protocol/startup-packet.js';
import { OpenSessions } from '../../src/modules/databases/wire/sessions/open-sessions.js';
import { eventually, type TestApp } from '../support/test-app.js';
import type { OpenedDatabase, Wire } from '../support/wire.js';
import { namesInside } from './engines.js';

const SLEEP = 'SELECT pg_sleep(60)';

async function codeOfFailure(work: Promise<unknown>): Promise<string | undefined> {
  return work.then(
    () => undefined,
    (error: unknown) => (error as { code?: string }).code ?? String(error),
  );
}

interface Connected {
  readonly app: TestApp;
  readonly wire: Wire;
  /** A database with a credential of its owner. */
  readonly opened: () => OpenedDatabase;
}

/** What clients with a right password can rely on, whatever keeps the database. */
export function connectionCases({ app, wire, opened }: Connected): void {
  const sessions = (): number => app.get(OpenSessions).all.length;
  const raw = (bytes: Buffer): Promise<string> => app.raw(bytes, { port: app.databasesPort });

  it('reaches the database as the role of its credential, whatever it asks for', async () => {
    const owner = await wire.client(opened().url);
    await owner.query('CREATE TABLE IF NOT EXISTS items (id int)');
    const roles = 'SELECT current_user AS role, session_user AS session, current_database() AS name';
    const names = await namesInside(app, opened().database.id as string);
    const asSeen = (role: string): object => ({ role, session: role, name: names.app });
    expect((await owner.query(roles)).rows).toEqual([asSeen(names.owner)]);

    const { url } = await wire.credential(opened().database.id, 'reader');
    const reader = await wire.client(url);
    expect((await reader.query(roles)).rows).toEqual([asSeen(names.reader)]);
    expect(await codeOfFailure(reader.query('INSERT INTO items VALUES (1)'))).toMatch(/^(25006|42501)$/);
    await Promise.all([owner.end(), reader.end()]);
    await eventually(() => sessions() === 0, 'the sessions have ended');
  });

  it('carries more than fits into any buffer, in both directions', async () => {
    const client = await wire.client(opened().url);
    const text = 'x'.repeat(20_000_000);
    const { rows } = await client.query('SELECT $1::text AS text', [text]);
    expect(rows[0].text === text).toBe(true);
    await client.end();
  });

  it('keeps little of what a client does not read', async () => {
    const client = await wire.client(opened().url);
    const socket = (client as unknown as { connection: { stream: { pause(): void; resume(): void } } }).connection
      .stream;
    const result = client.query("SELECT count(*) FROM (SELECT repeat('x', 1000) FROM generate_series(1, 1000)) t");
    await result;
    const rows = client.query("SELECT repeat('x', 10000) AS x FROM generate_series(1, 20000)");
    socket.pause();
    const [session] = app.get(OpenSessions).all;
    const { client: inner, server } = (session as unknown as { ends: { client: any; server: any } }).ends;
    await eventually(() => server.isPaused() as boolean, 'the server waits for the client');
    expect(inner.writableLength).toBeLessThan(1_048_576);
    socket.resume();
    expect((await rows).rowCount).toBe(20_000);
    await client.end();
  });

  it('can cancel its statement, and nobody else can', async () => {
    const client = await wire.client(opened().url);
    const { processID, secretKey } = client as unknown as { processID: number; secretKey: number };
    const key = { processId: processID, secret: secretKey >>> 0 };
    const statement = codeOfFailure(client.query(SLEEP));
    expect(await raw(cancelPacketOf({ ...key, secret: (key.secret ^ 1) >>> 0 }))).toBe('');
    expect(await raw(cancelPacketOf({ ...key, processId: key.processId ^ 1 }))).toBe('');
    // The statement must have begun.
    await eventually(async () => {
      await raw(cancelPacketOf(key));
      return Promise.race([
        statement.then(() => true),
        new Promise<false>((done) =>
          setTimeout(() => {
            done(false);
          }, 50),
        ),
      ]);
    }, 'the statement was cancelled');
    expect(await statement).toBe('57014');
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await client.end();
  });

  it('gets the error of PostgreSQL when the server ends', async () => {
    const client = await wire.client(opened().url);
    const failed = once(client, 'error');
    const [row] = await wire.make.sql('SELECT cluster_id FROM databases WHERE id = $1', [opened().database.id]);
    await app.get(DatabaseEngine).sleep(row!['cluster_id'] as string);
    const [error] = (await failed) as [{ code?: string }];
    expect(error.code).toBe('57P01');
    // The next connection wakes it.
    await (await wire.client(opened().url)).end();
  });

  it('does not leave a statement running when its client is gone', async () => {
    const client = await wire.client(opened().url);
    const watcher = await wire.client(opened().url);
    client.query(SLEEP).catch(() => undefined);
    const running = async (): Promise<number> =>
      (await watcher.query("SELECT 1 FROM pg_stat_activity WHERE query = $1 AND state = 'active'", [SLEEP])).rows
        .length;
    await eventually(async () => (await running()) === 1, 'the statement runs');
    (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    await eventually(async () => (await running()) === 0, 'the statement was cancelled');
    await watcher.end();
  });
}
