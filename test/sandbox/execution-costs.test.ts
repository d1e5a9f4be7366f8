import { DataSource } from 'typeorm';
import { ExecutionSweeper } from '../../src/modules/sandbox/executions/execution-sweeper.js';
import { SandboxRuntime } from '../../src/modules/sandbox/domain/sandbox-runtime.js';
import { Database } from '../../src/platform/database/database.js';
import { formatUsd, parseUsd } from '../../src/platform/money/nano-dollars.js';
import { LocalJobs } from '../../src/platform/queues/local-jobs.js';
import { faultsOf } from '../credits/support.js';
import { as, expectStatus, Make, type Person, send } from '../support/make.js';
import { type Answer, type CallOptions, eventually, useApp, WITH_SANDBOX } from '../support/test-app.js';
import { watchQueries } from '../support/watched-queries.js';

const PATH = '/api/v1/sandbox/executions';
const HELLO = { language: 'python', code: 'print(1 + 2)' };
const SLEEPS = { language: 'python', code: 'import time\ntime.sleep(20)' };
/** The default price of an hour. */
const HOUR_NANO = parseUsd('0.1');
const HOUR_MS = 3_600_000n;
/** Rounded up, as an estimate is. */
const priceOf = (ms: bigint): bigint => (ms * HOUR_NANO + HOUR_MS - 1n) / HOUR_MS;

const app = useApp({ ...WITH_SANDBOX, SANDBOX_CONCURRENCY: '2' });
const make = new Make(app);

interface Buyer {
  readonly person: Person;
  readonly orgId: string;
  readonly execute: (body: object, options?: CallOptions) => Promise<Answer>;
  readonly cancel: (id: string) => Promise<Answer>;
  readonly read: (id: string) => Promise<any>;
  readonly credits: () => Promise<{ balance: string; held: string }>;
  /** So much is left. */
  readonly keep: (usd: string) => Promise<void>;
}

async function buyer(plan: 'free' | 'builder' = 'free'): Promise<Buyer> {
  const person = await make.person({ plan });
  const key = await make.key(person);
  const credits = async (): Promise<{ balance: string; held: string }> =>
    expectStatus(200, await app.fetch('/api/v1/billing/credits', as(key))).body.data;
  return {
    person,
    orgId: person.organization.id,
    execute: (body, options) => app.post(PATH, body, as(key, options)),
    cancel: (id) => app.call('POST', `${PATH}/${id}/cancel`, as(key)),
    read: async (id) => expectStatus(200, await app.fetch(`${PATH}/${id}`, as(key))).body.data,
    credits,
    keep: async (usd) => {
      await credits();
      // Spends the rest with ordinary usage, so that the books stay balanced.
      await make.sql(
        `WITH account AS (UPDATE credit_accounts SET posted_nano = $2 WHERE org_id = $1),
          part AS (UPDATE credit_grants SET remaining_nano = $2 WHERE org_id = $1),
        posted AS (INSERT INTO ledger_transactions (key, kind, org_id, details, at)
          VALUES ('spent:' || $1, 'expiry', $1, '{}', now()) RETURNING key)
        INSERT INTO ledger_entries SELECT key, position, account, $1, amount
          FROM posted, (VALUES (1, 'credits', 5000000000 - $2::bigint), (2, 'promotion',
          $2::bigint - 5000000000)) AS e (position, account, amount)`,
        [person.organization.id, parseUsd(usd).toString()],
      );
    },
  };
}

afterEach(async () => {
  await eventually(
    async () => (await make.sql("SELECT 1 FROM sandbox_executions WHERE status IN ('queued', 'running')")).length === 0,
    'nothing runs',
    30_000,
  );
  expect(await faultsOf(app.get(Database).manager)).toEqual([]);
});

describe('the cost of an execution', () => {
  it('is its wall time in whole milliseconds, and is returned', async () => {
    const { execute, credits, orgId } = await buyer();
    const { data } = expectStatus(200, await execute(HELLO)).body;
    const [event] = await make.sql<{ quantity: string }>('SELECT quantity FROM usage_events WHERE org_id = $1', [
      orgId,
    ]);
    const ms = BigInt(event!.quantity);
    expect(Math.abs(Number(ms) - data.duration_ms)).toBeLessThan(1.01);
    expect(Number(ms)).toBeGreaterThanOrEqual(data.duration_ms - 0.01);
    const cost = (ms * HOUR_NANO) / HOUR_MS;
    expect(data.cost).toBe(formatUsd(cost));
    expect(await credits()).toMatchObject({ balance: formatUsd(parseUsd('5') - cost), held: '0' });
  });

  it('is held and charged in few round trips to the database', async () => {
    const { execute } = await buyer();
    await eventually(() => Promise.resolve(app.get(LocalJobs).hasRoom('sandbox')), 'a worker takes runs directly');
    // What is looked up once is known.
    expectStatus(200, await execute(HELLO));
    const sent: string[] = [];
    watchQueries(app.get(DataSource), (text, send) => {
      if (/sandbox_executions|credit_accounts|usage_events/.test(text)) sent.push(text);
      return send();
    });
    expectStatus(200, await execute(HELLO));
    expect(sent.map((text) => text.split('\n').map((statement) => statement.slice(0, 26)))).toEqual([
      // Its row, its account and what that has.
      ['START TRANSACTION', 'INSERT INTO sandbox_execut', 'SELECT org_id, posted_nano', 'WITH wanted AS MATERIALIZE'],
      ['WITH accounts AS ( UPDATE ', 'COMMIT'],
      ['UPDATE sandbox_executions '],
      // Its row, the sums of the month, its account and what that has.
      [
        'START TRANSACTION',
        'SELECT id, org_id AS "orgI',
        'SELECT count(*) AS count, ',
        'SELECT org_id, posted_nano',
        'WITH wanted AS MATERIALIZE',
      ],
      ['WITH given AS MATERIALIZED'],
      ['WITH accounts AS ( UPDATE ', 'UPDATE sandbox_executions ', 'INSERT INTO outbox_message', 'COMMIT'],
    ]);
  });

  it('is held up to the time limit while it waits and runs', async () => {
    const { execute, credits, cancel } = await buyer();
    const { id } = expectStatus(202, await execute({ ...SLEEPS, wait: false, timeout_ms: 10_000 })).body.data;
    expect((await credits()).held).toBe(formatUsd(priceOf(10_000n)));
    expectStatus(200, await cancel(id));
    expect((await credits()).held).toBe('0');
  });

  it('is the time that it ran when it is cancelled', async () => {
    const { execute, read, cancel, credits } = await buyer();
    const { id } = expectStatus(202, await execute({ ...SLEEPS, wait: false })).body.data;
    const ranFor = async (): Promise<number> => Date.now() - Date.parse((await read(id)).started_at as string);
    await eventually(async () => (await ranFor()) >= 300, 'it has run for 300 ms', 20_000);
    const { data } = expectStatus(200, await cancel(id)).body;
    const ran = Date.parse(data.finished_at as string) - Date.parse(data.started_at as string);
    expect(ran).toBeGreaterThanOrEqual(300);
    expect(data.cost).toBe(formatUsd((BigInt(ran) * HOUR_NANO) / HOUR_MS));
    expect(await credits()).toMatchObject({
      held: '0',
      balance: formatUsd(parseUsd('5') - parseUsd(data.cost as string)),
    });
  });

  it('is nothing when it is cancelled before it ran', async () => {
    const { execute, cancel, credits } = await buyer('builder');
    const started = [];
    for (let index = 0; index < 4; index++)
      started.push(expectStatus(202, await execute({ ...SLEEPS, wait: false })).body.data.id as string);
    const answer = expectStatus(200, await cancel(started[3]!)).body.data;
    expect(answer).toMatchObject({ status: 'cancelled' });
    expect(answer).not.toHaveProperty('started_at');
    expect(answer).not.toHaveProperty('cost');
    expect((await credits()).held).toBe(formatUsd(3n * priceOf(30_000n)));
    for (const id of started.slice(0, 3)) expectStatus(200, await cancel(id));
    expect((await credits()).held).toBe('0');
  });

  it('is nothing when the platform loses it', async () => {
    const { execute, read, credits } = await buyer();
    const broken = jest.spyOn(app.get(SandboxRuntime), 'run').mockRejectedValueOnce(new Error('gone'));
    expect((await execute(HELLO)).status).toBe(503);
    expect(await credits()).toMatchObject({ balance: '5', held: '0' });

    let end: (outcome: never) => void = () => undefined;
    broken.mockReturnValueOnce(
      new Promise((resolve) => {
        end = resolve;
      }),
    );
    const { id } = expectStatus(202, await execute({ ...HELLO, wait: false })).body.data;
    await eventually(async () => (await read(id)).status === 'running', 'a worker has it', 20_000);
    await make.sql("UPDATE sandbox_executions SET gives_up_at = now() - interval '1 second' WHERE id = $1", [id]);
    await app.get(ExecutionSweeper).giveUpOverdue();
    broken.mockRestore();
    expect(await read(id)).toMatchObject({ status: 'lost' });
    expect(await credits()).toMatchObject({ balance: '5', held: '0' });
    // What its worker says too late changes nothing.
    end({
      status: 'succeeded',
      stdout: '1',
      stderr: '',
      exitCode: 0,
      signal: null,
      durationMs: 1,
      cpuMs: 1,
      memoryPeakBytes: 1,
      truncated: { stdout: false, stderr: false },
      runtime: { name: 'x', version: '1' },
    } as never);
    expectStatus(200, await execute(HELLO));
    expect(await make.sql('SELECT source_id FROM usage_events WHERE source_id = $1', [id])).toEqual([]);
  });

  it('never exceeds its time limit', async () => {
    const { execute, orgId } = await buyer();
    const { data } = expectStatus(200, await execute({ ...SLEEPS, timeout_ms: 200 })).body;
    expect(data).toMatchObject({ status: 'timed_out', cost: formatUsd((200n * HOUR_NANO) / HOUR_MS) });
    expect(
      await make.sql("SELECT 1 FROM ledger_entries WHERE org_id = $1 AND account = 'platform_loss'", [orgId]),
    ).toEqual([]);
  });

  it('returns 402 without credits for the time limit, and runs with a shorter one', async () => {
    const { execute, keep, credits, orgId } = await buyer();
    await keep('0.0001');
    const answer = await execute(HELLO);
    expect(answer.status).toBe(402);
    expect(answer.body.error).toEqual({
      type: 'insufficient_credits_error',
      code: 'credits_exhausted',
      status: 402,
      message: 'Not enough credits: $0.000833334 required, $0.0001 available.',
      details: { required: '0.000833334', available: '0.0001' },
      hint: expect.stringContaining('timeout_ms'),
      docs_url: 'http://api.test/docs/errors/credits_exhausted',
      dashboard_url: 'http://api.test/app/~/billing',
      upgrade_url: 'http://api.test/pricing',
    });
    expect((await execute(HELLO, { headers: { 'dry-run': 'true' } })).body.error).toEqual(answer.body.error);
    expect(await make.sql('SELECT 1 FROM sandbox_executions WHERE org_id = $1', [orgId])).toEqual([]);
    expectStatus(200, await execute({ ...HELLO, timeout_ms: 3_000 }));
    expect(parseUsd((await credits()).balance)).toBeLessThan(parseUsd('0.0001'));
  });

  it('releases the concurrency slot when it is refused with 402', async () => {
    const { execute, keep } = await buyer();
    await keep('0');
    for (let call = 0; call < 5; call++) expect((await execute(HELLO)).status).toBe(402);
  });

  it('is billed up to the spend cap on plans that bill usage', async () => {
    const { execute, keep, person } = await buyer('builder');
    await keep('0');
    expect(expectStatus(200, await execute(HELLO)).body.data.cost).toMatch(/^0\.0+\d+$/);
    expectStatus(200, await send(app, ['PUT', '/api/v1/billing/spend-cap'], { amount: '0.0002' }, as(person)));
    expect((await execute(HELLO)).body.error).toMatchObject({
      status: 402,
      code: 'spend_cap_reached',
      details: { required: '0.000833334', spend_cap: '0.0002' },
      upgrade_url: 'http://api.test/pricing',
    });
  });

  it('is not metered in the anonymous sandbox', async () => {
    expectStatus(200, await app.post('/api/v1/sandbox/try', HELLO));
    expect(
      (
        await make.sql<{ count: string }>(
          'SELECT count(*) FROM usage_events WHERE org_id NOT IN (SELECT id FROM organizations)',
        )
      )[0]!.count,
    ).toBe('0');
  });
});
