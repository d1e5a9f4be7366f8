import { connect } from '../../src/platform/database/connect.js';
import { Database } from '../../src/platform/database/database.js';
import { prepared } from '../../src/platform/database/prepared.js';
import { createDataSource } from '../../src/roles/data-source.js';
import { DatabaseRelay } from '../support/database-relay.js';
import { as, Make, uniqueName } from '../support/make.js';
import { useApp } from '../support/test-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

describe('a transaction', () => {
  const app = useApp({}, 'api');
  const make = new Make(app);
  const insert = (key: string): Promise<unknown> =>
    app.get(Database).manager.query(
      `INSERT INTO idempotency_records (scope, key, fingerprint, holder, created_at, expires_at)
          VALUES ('t', $1, 'x', 'x', now(), now())`,
      [key],
    );
  const isThere = async (key: string): Promise<boolean> =>
    (await make.sql("SELECT 1 FROM idempotency_records WHERE scope = 't' AND key = $1", [key])).length === 1;

  it('commits everything or nothing, and reports the commit afterwards', async () => {
    const database = app.get(Database);
    const committed: string[] = [];
    await database.transaction(async () => {
      await Promise.all([insert('a'), insert('b')]);
      await database.afterCommit(() => {
        committed.push('a');
        return Promise.resolve();
      });
      expect([committed, await database.apart(() => isThere('a'))]).toEqual([[], false]);
    });
    await expect(
      database.transaction(async () => {
        await insert('c');
        await database.afterCommit(() => {
          committed.push('c');
          return Promise.resolve();
        });
        throw new Error('broken');
      }),
    ).rejects.toThrow('broken');
    await database.rehearse(async () => {
      await insert('d');
      expect(await isThere('d')).toBe(true);
    });
    expect([await isThere('a'), await isThere('b'), await isThere('c'), await isThere('d'), committed]).toEqual([
      true,
      true,
      false,
      false,
      ['a'],
    ]);
  });

  it('keeps the plans of prepared statements, and plans again after a migration', async () => {
    const database = app.get(Database);
    const statement = prepared('SELECT count(*)::int AS count FROM idempotency_records WHERE key = $1');
    const count = (): Promise<unknown> => database.manager.query(statement, ['none']);
    await database.transaction(async () => {
      for (let time = 0; time < 7; time++) expect(await count()).toEqual([{ count: 0 }]);
      const plans = await database.manager.query<{ statement: string }[]>(
        'SELECT statement FROM pg_prepared_statements WHERE statement = $1',
        [statement],
      );
      expect(plans).toHaveLength(1);
      await database.manager.query('ALTER TABLE idempotency_records ADD COLUMN of_a_test text');
      expect(await count()).toEqual([{ count: 0 }]);
      await database.manager.query('ALTER TABLE idempotency_records DROP COLUMN of_a_test');
    });
  });

  describe('with statements that are sent together', () => {
    const ADD = prepared(`INSERT INTO idempotency_records (scope, key, fingerprint, holder, created_at, expires_at)
      VALUES ('t', $1, 'x', 'x', now(), now())`);
    const COUNT = prepared("SELECT count(*)::int AS count FROM idempotency_records WHERE scope = 't' AND key = $1");
    const count = async (key: string): Promise<number> =>
      (await app.get(Database).ask<{ count: number }>(COUNT, [key]))[0]!.count;
    const later = (key: string): Promise<void> => {
      app.get(Database).writeLater(ADD, [key]);
      return Promise.resolve();
    };

    it('runs them in their order, and each sees what came before it', async () => {
      const database = app.get(Database);
      await database.transaction(async () => {
        const before = count('together');
        database.writeLater(ADD, ['together']);
        const after = count('together');
        expect(await Promise.all([before, after])).toEqual([0, 1]);
        database.writeLater(ADD, ['later']);
        // What TypeORM sends comes after what was written for later.
        expect(await database.manager.query("SELECT 1 FROM idempotency_records WHERE key = 'later'")).toHaveLength(1);
        expect(await database.apart(() => count('later'))).toBe(0);
        database.writeLater(ADD, ['last']);
      });
      expect([await count('together'), await count('later'), await count('last')]).toEqual([1, 1, 1]);
    });

    it('commits a transaction that only writes later, and rolls it back after an error', async () => {
      const database = app.get(Database);
      await database.transaction(() => later('alone'));
      const failing = database.transaction(() => {
        database.writeLater(ADD, ['undone']);
        return Promise.reject(new Error('broken'));
      });
      await expect(failing).rejects.toThrow('broken');
      expect([await count('alone'), await count('undone')]).toEqual([1, 0]);
      await expect(database.rehearse(() => later('alone'))).rejects.toThrow('duplicate key');
    });

    it('fails as a whole with the first that fails, also when nobody waits for that one', async () => {
      const database = app.get(Database);
      await database.transaction(() => later('there'));
      const notThere = prepared('SELECT key AS first_use FROM idempotency_records WHERE key = $1');
      const committed = jest.fn();
      const failing = database.transaction(async () => {
        await database.afterCommit(() => Promise.resolve(committed()));
        database.writeLater(ADD, ['there']);
        const [read, again] = await Promise.allSettled([database.ask(notThere, ['x']), count('there')]);
        expect([read.status, again.status]).toEqual(['rejected', 'rejected']);
        database.writeLater(ADD, ['neither']);
      });
      await expect(failing).rejects.toThrow('duplicate key');
      const uncaught = database.transaction(() => {
        database.writeLater(ADD, ['neither']);
        database.writeLater(ADD, ['there']);
        return Promise.resolve();
      });
      await expect(uncaught).rejects.toMatchObject({ driverError: { code: '23505' } });
      expect([await count('neither'), committed.mock.calls]).toEqual([0, []]);
      // A statement that was not prepared, because one before it failed, is prepared again.
      for (let time = 0; time < 12; time++)
        expect(await Promise.all([database.transaction(() => database.ask(notThere, ['x'])), count('there')])).toEqual([
          [],
          1,
        ]);
    });

    it('passes on all kinds of values', async () => {
      const database = app.get(Database);
      const at = new Date('2026-11-29T10:20:30.456Z');
      const bytes = Buffer.from([0, 255, 34, 92]);
      const text = 'SELECT $1::bytea AS a, $2::timestamptz AS b, $3::text AS c, $4::float8 AS d, $5::text AS e';
      const [row] = await database.transaction(() => database.ask(text, [bytes, at, null, 0.1, 'ä"\\\'']));
      expect(row).toEqual({ a: bytes, b: at, c: null, d: 0.1, e: 'ä"\\\'' });
    });
  });

  it('takes no connection before its first query', async () => {
    const database = app.get(Database);
    let release!: () => void;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    // Far more than there are connections.
    const waiting = Array.from({ length: 50 }, (_, index) =>
      database.transaction(async () => {
        await held;
        await insert(`lazy${index}`);
      }),
    );
    expect(await isThere('nothing')).toBe(false);
    release();
    await Promise.all(waiting);
    expect(await isThere('lazy49')).toBe(true);
  });

  it('does not block others under many concurrent idempotent sign-ins', async () => {
    const person = await make.person();
    const signIns = Array.from({ length: 8 }, () =>
      app.post(
        '/api/v1/auth/sign-in',
        { login: person.user.username, password: person.password },
        { headers: { 'idempotency-key': uniqueName('k') } },
      ),
    );
    const answers = await Promise.all([app.fetch('/ready'), app.fetch('/api/v1/keys', as(person)), ...signIns]);
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
  });
});

describe('a process that starts', () => {
  const dataSourceAt = (url: string): ReturnType<typeof createDataSource> =>
    createDataSource({ url, poolSize: 1, connectTimeoutMs: 250 });
  let database: TestDatabase;
  let relay: DatabaseRelay;
  beforeAll(async () => {
    database = await createTestDatabase();
    relay = await DatabaseRelay.start(database.url);
  });
  afterAll(async () => {
    await relay.stop();
    await database.drop();
  });

  it('asks a database again that is too slow to answer', async () => {
    relay.leaveUnanswered(3);
    const dataSource = await connect(dataSourceAt(relay.url));
    expect(await dataSource.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await dataSource.destroy();
  });

  it('gives up after a few times', async () => {
    relay.leaveUnanswered(6);
    await expect(connect(dataSourceAt(relay.url))).rejects.toThrow('timeout');
    expect(relay.stillUnanswered).toBe(1);
    relay.leaveUnanswered(0);
  });

  it('fails at once when the database refuses it', async () => {
    const wrong = new URL(relay.url);
    wrong.pathname = '/no_such_database';
    await expect(connect(dataSourceAt(wrong.href))).rejects.toThrow('does not exist');
  });
});
