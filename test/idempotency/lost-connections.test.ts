import { Client } from 'pg';
import { DatabaseRelay } from '../support/database-relay.js';
import { as, Make, type Person, uniqueName } from '../support/make.js';
import { type Answer, eventually, TestApp } from '../support/test-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

/** Far below the half minute for which a key of a failed call used to be taken. */
const SOON_MS = 8_000;

describe('a write with an idempotency key whose database connection is lost', () => {
  const app = new TestApp({}, 'api');
  const make = new Make(app);
  let database: TestDatabase;
  let relay: DatabaseRelay;
  let ada: Person;

  beforeAll(async () => {
    database = await createTestDatabase();
    relay = await DatabaseRelay.start(database.url);
    await app.start({ database: { url: relay.url, drop: () => database.drop() } });
    ada = await make.person({ plan: 'enterprise' });
  });

  afterAll(async () => {
    await app.stop();
    await relay.stop();
  });

  const mint = (name: string, key: string): Promise<Answer> =>
    app.post('/api/v1/keys', { name }, as(ada, { headers: { 'idempotency-key': key } }));
  const count = async (name: string): Promise<number> =>
    Number((await make.sql('SELECT count(*) AS n FROM api_keys WHERE name = $1', [name]))[0]!['n']);

  /** Repeats a call with the same key until there is an answer, as a client does. */
  async function retried(name: string, key: string, withinMs = SOON_MS): Promise<Answer> {
    let answer = await mint(name, key);
    await eventually(
      async () => {
        if (answer.status !== 503 && answer.body?.error?.code !== 'idempotency_in_progress') return true;
        answer = await mint(name, key);
        return false;
      },
      `an answer, not ${answer.text}`,
      withinMs,
    );
    return answer;
  }

  function expectUnavailable(answer: Answer): void {
    expect([answer.status, answer.body.error.code]).toEqual([503, 'service_unavailable']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  }

  it.each([
    ['as its key is taken', 'INSERT INTO idempotency_records', 'before'],
    ['right after its key was taken', 'INSERT INTO idempotency_records', 'answered'],
    ['as its transaction begins', 'START TRANSACTION', 'before'],
    ['in the middle of its transaction', 'INSERT INTO "api_keys"', 'answered'],
    ['before its commit', 'COMMIT', 'before'],
  ] as const)('%s, returns 503 without effect, and succeeds on retry', async (_when, statement, when) => {
    const [name, key] = [uniqueName('lost'), uniqueName('k')];
    const cuts = relay.cuts;
    relay.cutAt({ statement, when });
    expectUnavailable(await mint(name, key));
    expect([relay.cuts, await count(name)]).toEqual([cuts + 1, 0]);

    const again = await retried(name, key);
    expect([again.status, again.headers.get('idempotency-replayed'), await count(name)]).toEqual([201, null, 1]);
  });

  it('after its commit, returns the stored result on retry', async () => {
    const [name, key] = [uniqueName('doubt'), uniqueName('k')];
    relay.cutAt({ statement: 'COMMIT', when: 'answered' });
    expectUnavailable(await mint(name, key));
    expect(await count(name)).toBe(1);

    const again = await retried(name, key);
    expect([again.status, again.headers.get('idempotency-replayed'), await count(name)]).toEqual([201, 'true', 1]);
  });

  it('succeeds as soon as the database is back', async () => {
    const [name, key] = [uniqueName('away'), uniqueName('k')];
    relay.cutAt({ statement: 'INSERT INTO "api_keys"', when: 'answered' });
    const first = mint(name, key);
    await eventually(() => relay.cuts > 0, 'the connection is cut');
    relay.cut();
    expectUnavailable(await first);
    expectUnavailable(await mint(name, key));
    relay.mend();
    expect([(await retried(name, key)).status, await count(name)]).toEqual([201, 1]);
  });

  it('is done once and never returns 500 when connections are killed all the time', async () => {
    const admin = new Client({ connectionString: database.url, application_name: 'admin' });
    await admin.connect();
    const ending = setInterval(() => {
      void admin
        .query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
            AND application_name <> 'admin'`,
        )
        .catch(() => undefined);
    }, 40);
    const inputs = Array.from({ length: 40 }, () => [uniqueName('many'), uniqueName('k')] as const);
    const seen = new Set<string>();
    let made: Answer[];
    try {
      made = await Promise.all(
        inputs.map(async ([name, key]) => {
          for (let attempt = 0; attempt < 15; attempt++) {
            const answer = await mint(name, key);
            seen.add(`${answer.status} ${answer.body?.error?.code ?? ''}`.trim());
            if (answer.status === 201) return answer;
          }
          clearInterval(ending);
          return retried(name, key, 20_000);
        }),
      );
    } finally {
      clearInterval(ending);
      await admin.end();
    }
    expect(seen).toContain('503 service_unavailable');
    expect(
      [...seen].filter((what) => !['201', '503 service_unavailable', '409 idempotency_in_progress'].includes(what)),
    ).toEqual([]);
    expect(made.map(({ status }) => status)).toEqual(inputs.map(() => 201));
    expect(await Promise.all(inputs.map(([name]) => count(name)))).toEqual(inputs.map(() => 1));
  }, 60_000);
});
