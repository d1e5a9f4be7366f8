import { Database } from '../../src/platform/database/database.js';
import { as, Make, uniqueName } from '../support/make.js';
import { useApp } from '../support/test-app.js';

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
