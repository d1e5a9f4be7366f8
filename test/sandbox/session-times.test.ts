import { setTimeout as sleep } from 'node:timers/promises';
import { LostSessionsSweeper } from '../../src/modules/sandbox/sessions/lost-sessions-sweeper.js';
import { SessionLine } from '../../src/modules/sandbox/sessions/line/session-line.js';
import { HeldSessions } from '../../src/modules/sandbox/sessions/worker/held-sessions.js';
import { Database } from '../../src/platform/database/database.js';
import { formatUsd, parseUsd } from '../../src/platform/money/nano-dollars.js';
import { faultsOf } from '../credits/support.js';
import { as, expectStatus, Make, type Person } from '../support/make.js';
import { onThisMachine } from '../support/patience.js';
import { type Answer, eventually, useApp, WITH_SANDBOX } from '../support/test-app.js';

jest.setTimeout(onThisMachine(60_000));

const PATH = '/api/v1/sandbox/sessions';
/** The default price of an hour. */
const HOUR_NANO = parseUsd('0.1');
const HOUR_MS = 3_600_000n;

const app = useApp({
  ...WITH_SANDBOX,
  SANDBOX_CONCURRENCY: '1',
  SANDBOX_SESSIONS: '6',
  SANDBOX_SESSIONS_SHARE_PERCENT: '100',
});
const make = new Make(app);

interface Owner {
  readonly person: Person;
  readonly key: string;
  readonly create: (body?: object) => Promise<Answer>;
  readonly started: () => Promise<string>;
  readonly read: (id: string) => Promise<any>;
  readonly run: (id: string, code: string) => Promise<any>;
  readonly end: (id: string) => Promise<any>;
  readonly credits: () => Promise<{ balance: string; held: string }>;
}

async function owner(plan: 'free' | 'builder' | 'pro' = 'free'): Promise<Owner> {
  const person = await make.person({ plan });
  const key = await make.key(person);
  const create = (body: object = {}): Promise<Answer> => app.post(PATH, { language: 'python', ...body }, as(key));
  return {
    person,
    key,
    create,
    started: async () => expectStatus(201, await create()).body.data.id as string,
    read: async (id) => expectStatus(200, await app.fetch(`${PATH}/${id}`, as(key))).body.data,
    run: async (id, code) => expectStatus(200, await app.post(`${PATH}/${id}/runs`, { code }, as(key))).body.data,
    end: async (id) => expectStatus(200, await app.call('DELETE', `${PATH}/${id}`, as(key))).body.data,
    credits: async () => expectStatus(200, await app.fetch('/api/v1/billing/credits', as(key))).body.data,
  };
}

const held = (id: string): ReturnType<HeldSessions['find']> => app.get(HeldSessions).find(id);

afterEach(async () => {
  const sessions = app.get(HeldSessions);
  await Promise.all(sessions.all.map(({ facts: { id } }) => sessions.end(id, 'requested')));
  expect(await faultsOf(app.get(Database).manager)).toEqual([]);
});

describe('a session that is not used', () => {
  it('freezes: it computes nothing, and goes on where it was', async () => {
    const { started, run, read } = await owner('pro');
    const id = await started();
    await run(
      id,
      `
import threading, time
count = 0
def work():
    global count
    while True:
        count += 1
        time.sleep(0.01)
threading.Thread(target=work, daemon=True).start()`,
    );
    await eventually(async () => (await read(id)).status === 'frozen', 'it freezes');
    const before = Number((await run(id, 'print(count)')).stdout);
    await eventually(async () => (await read(id)).status === 'frozen', 'it freezes again');
    // It would count to 150 meanwhile; while it is awake, for the grace of a quarter of a second, to 25.
    await sleep(1_500);
    const after = Number((await run(id, 'print(count)')).stdout);
    expect(after - before).toBeGreaterThanOrEqual(0);
    expect(after - before).toBeLessThan(100);
    expect((await read(id)).ended_at).toBeUndefined();
  });

  it('freezes when it is asked to, and costs only the time of its runs', async () => {
    const { started, run, read, key, credits } = await owner();
    const id = await started();
    const { duration_ms, cost } = await run(id, 'import time\ntime.sleep(0.3)');
    const ms = BigInt(Math.ceil(duration_ms as number));
    expect(Number(ms)).toBeGreaterThanOrEqual(300);
    expect([-1n, 0n, 1n].map((more) => formatUsd(((ms + more) * HOUR_NANO) / HOUR_MS))).toContain(cost);
    for (let count = 0; count < 2; count++) {
      const frozen = await app.call('POST', `${PATH}/${id}/freeze`, as(key));
      expect(expectStatus(200, frozen).body.data.status).toBe('frozen');
    }
    await eventually(async () => (await read(id)).status === 'frozen', 'its row says so');
    expectStatus(200, await app.fetch(`${PATH}/${id}/files`, as(key)));
    await sleep(1_000);
    const balance = formatUsd(parseUsd('5') - parseUsd(cost as string));
    expect(await credits()).toMatchObject({ balance, held: '0' });
    await run(id, 'pass');
    expect(parseUsd((await credits()).balance)).toBeGreaterThan(parseUsd(balance) - parseUsd('0.000002'));
  });

  it('takes no place of an execution, and ends when it was idle for its time', async () => {
    const { started, read, key } = await owner();
    const id = await started();
    const runs = Array.from({ length: 2 }, () =>
      app.post('/api/v1/sandbox/executions', { language: 'python', code: 'import time\ntime.sleep(0.2)' }, as(key)),
    );
    expect((await Promise.all(runs)).map(({ status }) => status)).toEqual([200, 200]);
    Object.assign(held(id)!.facts, { idleTimeoutMs: 10 });
    await eventually(async () => (await read(id)).status === 'ended', 'it ends');
    expect(await read(id)).toMatchObject({ end_reason: 'idle' });
  });
});

describe('a session that is used', () => {
  it('ends at its maximum time, and is paid as far as it came', async () => {
    const { started, read, key, credits } = await owner();
    const id = await started();
    const cut = app.post(`${PATH}/${id}/runs`, { code: 'import time\ntime.sleep(20)' }, as(key));
    await eventually(() => held(id)!.isUsed, 'it runs');
    await sleep(300);
    Object.assign(held(id)!.facts, { expiresAtMs: 0 });
    const { data } = expectStatus(200, await cut).body;
    expect(data).toMatchObject({ status: 'cancelled' });
    expect(await read(id)).toMatchObject({ status: 'ended', end_reason: 'expired' });
    expect(parseUsd(data.cost as string)).toBeGreaterThan((200n * HOUR_NANO) / HOUR_MS);
    expect(await credits()).toMatchObject({
      held: '0',
      balance: formatUsd(parseUsd('5') - parseUsd(data.cost as string)),
    });
  });

  it('is refused without credits, and the session stays', async () => {
    const { started, person, key, read, credits } = await owner();
    const id = await started();
    await credits();
    await make.sql(
      `WITH account AS (UPDATE credit_accounts SET posted_nano = 0 WHERE org_id = $1),
        part AS (UPDATE credit_grants SET remaining_nano = 0 WHERE org_id = $1),
      posted AS (INSERT INTO ledger_transactions (key, kind, org_id, details, at)
        VALUES ('spent:' || $1, 'expiry', $1, '{}', now()) RETURNING key)
      INSERT INTO ledger_entries SELECT key, position, account, $1, amount
        FROM posted, (VALUES (1, 'credits', 5000000000), (2, 'promotion', -5000000000))
          AS e (position, account, amount)`,
      [person.organization.id],
    );
    const answer = await app.post(`${PATH}/${id}/runs`, { code: 'print(1)' }, as(key));
    expect([answer.status, answer.body.error.code]).toEqual([402, 'credits_exhausted']);
    expect((await read(id)).ended_at).toBeUndefined();
  });
});

describe('the sessions of an organization', () => {
  it('are as many at once as its plan includes', async () => {
    const { create, started, end } = await owner();
    const id = await started();
    const answer = await create();
    expect(answer.status).toBe(429);
    expect(answer.body.error).toMatchObject({
      type: 'rate_limit_error',
      code: 'concurrency_limit_exceeded',
      message: 'Concurrency limit reached: 1 sandbox sessions at a time per organization.',
      details: { policy: 'sandbox_sessions', limit: 1, remaining: 0, resets_at: expect.any(String) },
      upgrade_url: 'http://api.test/pricing',
    });
    await end(id);
    await started();
  });

  it('are as many even when they are asked for together', async () => {
    const { create } = await owner('builder');
    const answers = await Promise.all(Array.from({ length: 7 }, () => create({ memory_mib: 128 })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 201, 429, 429]);
  });

  it('last as long as its plan says', async () => {
    const { create } = await owner();
    const { data } = expectStatus(201, await create({ idle_timeout_seconds: 3_600 })).body;
    expect(Date.parse(data.expires_at as string) - Date.parse(data.created_at as string)).toBe(30 * 60_000);
  });

  it('end with it', async () => {
    const { person } = await owner();
    const org = await make.org(person, { plan: 'builder' });
    const key = await make.key(person);
    const there = as(key, { headers: { 'x-service-org': org.slug } });
    const { id } = expectStatus(201, await app.post(PATH, { language: 'python' }, there)).body.data;
    expectStatus(204, await app.call('DELETE', `/api/v1/orgs/${org.id}`, as(person)));
    await eventually(() => held(id as string) === undefined, 'its worker ends it');
    const [row] = await make.sql('SELECT status, end_reason FROM sandbox_sessions WHERE id = $1', [id]);
    expect(row).toEqual({ status: 'ended', end_reason: 'org_deleted' });
  });
});

describe('a session whose worker sees its end in the row first', () => {
  /** Starts a run that does not end by itself. */
  async function running(): Promise<{ ended: Promise<any>; id: string; mine: Owner }> {
    const mine = await owner();
    const id = await mine.started();
    const ended = mine.run(id, 'import time\ntime.sleep(25)');
    await eventually(async () => {
      const rows = await make.sql("SELECT 1 FROM sandbox_executions WHERE session_id = $1 AND status = 'running'", [
        id,
      ]);
      return rows.length === 1;
    }, 'it runs');
    return { ended, id, mine };
  }
  const costOf = async (executionId: string): Promise<{ status: string; cost_nano: string | null }> =>
    (await make.sql<any>('SELECT status, cost_nano FROM sandbox_executions WHERE id = $1', [executionId]))[0];

  it('ends as its owner has asked: what ran is cancelled, and paid as far as it came', async () => {
    const { ended, id, mine } = await running();
    jest.spyOn(app.get(SessionLine), 'ask').mockRejectedValueOnce(new Error('Nobody listens.'));
    expect(await mine.end(id)).toMatchObject({ status: 'ended', end_reason: 'requested' });
    expect(held(id)).toBeDefined();
    const data = await ended;
    expect(data).toMatchObject({ status: 'cancelled', session_id: id });
    expect(Number((await costOf(data.id as string)).cost_nano)).toBeGreaterThan(0);
    expect(held(id)).toBeUndefined();
    expect((await mine.credits()).held).toBe('0');
    expect(await mine.read(id)).toMatchObject({ status: 'ended', end_reason: 'requested' });
  });

  it('is free when the platform has given it up', async () => {
    const { ended, id, mine } = await running();
    const failed = expect(ended).rejects.toThrow('sandbox_unavailable');
    await make.sql("UPDATE sandbox_sessions SET alive_until = now() - interval '1 second' WHERE id = $1", [id]);
    await app.get(LostSessionsSweeper).loseOverdue();
    await failed;
    const rows = await make.sql('SELECT status, cost_nano FROM sandbox_executions WHERE session_id = $1', [id]);
    expect(rows).toEqual([{ status: 'lost', cost_nano: null }]);
    expect((await mine.credits()).held).toBe('0');
  });
});

describe('a session whose worker is gone', () => {
  it('is lost, and its worker ends it when it comes back', async () => {
    const { started, read, key } = await owner();
    const id = await started();
    await make.sql("UPDATE sandbox_sessions SET alive_until = now() - interval '1 second' WHERE id = $1", [id]);
    await app.get(LostSessionsSweeper).loseOverdue();
    expect(await read(id)).toMatchObject({ status: 'lost', end_reason: 'worker_lost' });
    const answer = await app.post(`${PATH}/${id}/runs`, { code: 'print(1)' }, as(key));
    expect(answer.body.error).toMatchObject({
      code: 'sandbox_session_over',
      details: { status: 'lost', end_reason: 'worker_lost' },
    });
    await eventually(() => held(id) === undefined, 'its worker ends it', 15_000);
  });
});
