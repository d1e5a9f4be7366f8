import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { ServiceProcess } from '../support/service-process.js';
import { TestApp } from '../support/test-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { testRedisUrl } from '../support/test-redis.js';

const TOKEN = 'a-token-of-the-usage-sources';
const ORG = 'org_00000000000000000000000001';
const [BATCHES, EVENTS] = [40, 250];

describe('a process that is killed while it records usage', () => {
  let database: TestDatabase;
  let admin: Client;
  /** What goes on where the killed process left off; it ends the database with itself. */
  const next = new TestApp({ USAGE_TOKEN: TOKEN }, 'api');

  beforeAll(async () => {
    database = await createTestDatabase();
    admin = new Client({ connectionString: database.url });
    await admin.connect();
    await admin.query(
      `INSERT INTO organizations (id, slug, name, plan, created_at, updated_at)
        VALUES ($1, 'killed', 'Acme', 'pro', now(), now())`,
      [ORG],
    );
  });
  afterAll(async () => {
    await ServiceProcess.killAll();
    await admin.end();
    await next.stop();
  });

  const start = () =>
    ServiceProcess.start({
      role: 'api',
      env: {
        DATABASE_URL: database.url,
        REDIS_URL: testRedisUrl(),
        API_KEY_PEPPER: 'a-pepper-of-the-tests-long-enough-for-it',
        SECRETS_KEY: 'a-secrets-key-of-the-tests-long-enough-for-it',
        USAGE_TOKEN: TOKEN,
      },
    });
  const batches = Array.from({ length: BATCHES }, () =>
    Array.from({ length: EVENTS }, () => ({
      source: 'killed',
      id: randomUUID(),
      org_id: ORG,
      meter: 'sandbox_compute',
      quantity: 777,
      occurred_at: new Date().toISOString(),
    })),
  );

  async function send({ url }: { readonly url: string }, events: object[]): Promise<number> {
    const answer = await fetch(`${url}/api/v1/billing/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify({ events }),
    });
    const { data } = (await answer.json()) as { data: { accepted: number; duplicates: number } };
    return data.accepted + data.duplicates;
  }

  async function sums(): Promise<Record<string, string>> {
    const { rows } = await admin.query<Record<string, string>>(`
      SELECT (SELECT count(*) FROM usage_events) AS events, (SELECT sum(events)
        FROM usage_hours) AS of_hours, (SELECT sum(events) FROM usage_months) AS of_months,
        (SELECT sum(cost_nano) FROM usage_events) AS cost, (SELECT sum(cost_nano)
          FROM usage_hours) AS cost_of_hours, (SELECT sum(cost_nano) FROM usage_months) AS cost_of_months`);
    return rows[0]!;
  }

  it('has recorded each batch completely or not at all, and repeated batches count once', async () => {
    const first = await start();
    let answered = 0;
    const sent = batches.map((events) =>
      send(first, events).then(
        (known) => {
          expect(known).toBe(EVENTS);
          // Others are under way at this moment.
          if (++answered === 3) first.signal('SIGKILL');
          return true;
        },
        () => false,
      ),
    );
    const outcomes = await Promise.all(sent);
    await first.ended;
    expect(outcomes.filter(Boolean).length).toBeLessThan(BATCHES);

    const between = await sums();
    expect(Number(between['events']) % EVENTS).toBe(0);
    expect(Number(between['events'])).toBeGreaterThanOrEqual(outcomes.filter(Boolean).length * EVENTS);
    expect([between['of_hours'], between['of_months']]).toEqual([between['events'], between['events']]);

    await next.start({ database, keepRedis: true });
    for (const events of batches) expect(await send(next, events)).toBe(EVENTS);
    const all = String(BATCHES * EVENTS);
    const cost = String((BigInt(all) * 777n * 100_000_000n) / 3_600_000n);
    expect(await sums()).toEqual({
      events: all,
      of_hours: all,
      of_months: all,
      cost,
      cost_of_hours: cost,
      cost_of_months: cost,
    });
  }, 300_000);
});
