/**
 * Paid work: holding its price and paying for it, as the service does both, usage and ledger included, beside plain SQL
 * that writes rows of holds, account and ledger and nothing else: one change after the other, and as sets of 500.
 *
 *   npm run bench:holds -- [seconds a round] [rounds]
 */
import '../../scripts/on-pinned-node.mjs';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import 'reflect-metadata';
import pg from 'pg';
import { cpuOf, descendantsOf } from '../service.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const require = createRequire(import.meta.url);
const built = (path) => require(join(ROOT, 'dist/src', path));
const { startEmbeddedPostgres } = built('roles/embedded/embedded-postgres.js');
const { startEmbeddedRedis } = built('roles/embedded/embedded-redis.js');
const { migrate } = built('roles/migrate.js');
const { createDataSource } = built('roles/data-source.js');
const { Config } = built('platform/config/config.js');
const { NoSiblings } = built('platform/lifecycle/sibling-processes.js');
const { createApp } = built('roles/create-app.js');
const { loadSettings } = built('roles/settings.js');
const { openLog } = built('platform/logging/log.js');
const { RequestContext } = built('platform/logging/request-context.js');
const { PaidWorkService } = built('modules/credits/paid-work.service.js');
const { GrantsService } = built('modules/credits/grants/grants.service.js');

const [seconds = 5, rounds = 3] = process.argv.slice(2).map(Number);
const CALLERS = 1_000;
const BATCH = 500;
const CONNECTIONS = 10;
const PAIRS = 500;
const PLENTY = 10n ** 15n;
const MICROSECONDS = 1_000_000;

const HELD = `INSERT INTO plain_holds (key, org_id, meter, amount_nano, state, credit_nano, billed_nano, parts, month,
  begun_at, expires_at)
  SELECT key, $2, 'sandbox_compute', 1000, 'held', 1000, 0, '[]', date_trunc('month', now()), now(), now()
    FROM unnest($1::text[]) key`;
const PAID = `UPDATE plain_holds
  SET state = 'settled', credit_nano = 700, ended_at = now(), cost_nano = 700, lost_nano = 0, occurred_at = now()
  WHERE key = ANY($1)`;
const ENTRIES = `INSERT INTO plain_entries SELECT key, position, account, $2, amount
  FROM unnest($1::text[]) key, (VALUES (1, 'credits', 700), (2, 'revenue', -700)) AS e (position, account, amount)`;

const ACCOUNT_HOLDS = 'UPDATE plain_accounts SET held_nano = held_nano + $2 WHERE org_id = $1';
const ACCOUNT_PAYS =
  'UPDATE plain_accounts SET held_nano = held_nano - $2, posted_nano = posted_nano - $3 WHERE org_id = $1';

/** Names what is made, each once. */
let made = 0;

const dataDir = mkdtempSync(join(tmpdir(), 'bench-holds-'));
const place = { dataDir, durable: true, log: () => undefined };
const postgres = await startEmbeddedPostgres(place);
const redis = await startEmbeddedRedis(place);
let app;
const pool = new pg.Pool({ connectionString: postgres.url, max: CONNECTIONS });
try {
  await migrate(postgres.url);
  const settings = loadSettings({
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    API_KEY_PEPPER: 'a-pepper-of-the-bench-long-enough-for-it',
    SECRETS_KEY: 'a-secrets-key-of-the-bench-long-enough',
    DATA_DIR: dataDir,
    PORT: '0',
    SANDBOX_ENABLED: 'false',
  });
  app = await createApp(['api'], {
    settings,
    log: openLog(settings.of(Config), new Writable({ write: (_chunk, _encoding, done) => done() })),
    siblings: new NoSiblings(),
    context: new RequestContext(),
    dataSource: createDataSource({ url: postgres.url, poolSize: CONNECTIONS }),
  });
  await app.init();
  await run();
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await pool.end();
  await app?.close();
  await redis.stop();
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function run() {
  const orgIds = Array.from({ length: CALLERS + 1 }, (_, index) => `org_${String(index).padStart(26, '0')}`);
  await pool.query(
    `INSERT INTO organizations (id, slug, name, plan, created_at, updated_at)
      SELECT id, replace(id, '_', '-'), id, 'free', now(), now() FROM unnest($1::text[]) id`,
    [orgIds],
  );
  const grants = app.get(GrantsService, { strict: false });
  for (const orgId of orgIds)
    await grants.grant({
      orgId,
      amountNano: PLENTY,
      priority: 1,
      expiresAt: null,
      appliesTo: null,
      reason: 'bench',
      key: `bench-${orgId}`,
    });
  const [hot, ...many] = orgIds;
  // The tables of plain SQL are like those of the service, and not the same: its books stay right.
  await pool.query(`
    CREATE TABLE plain_accounts (org_id text PRIMARY KEY, posted_nano bigint, held_nano bigint,
      CHECK (posted_nano - held_nano >= 0)) WITH (fillfactor = 50);
    CREATE TABLE plain_holds (LIKE holds INCLUDING ALL);
    CREATE TABLE plain_entries (LIKE ledger_entries INCLUDING ALL);
    INSERT INTO plain_accounts SELECT org_id, posted_nano, held_nano FROM credit_accounts`);

  const candidates = [
    ['one organization', 'ours', () => load(ours, () => hot)],
    ['one organization', 'plain SQL, as sets', () => sets(hot)],
    ['one organization', 'plain SQL, one by one', () => load(oneByOne, () => hot)],
    ['1,000 organizations', 'ours', () => load(ours, (caller) => many[caller])],
    ['1,000 organizations', 'plain SQL, one by one', () => load(oneByOne, (caller) => many[caller])],
  ];
  await load(ours, (caller) => many[caller], 1);
  const results = candidates.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, [, , measure]] of candidates.entries()) results[index].push(await withProcessorTime(measure));
  }
  const {
    rows: [{ wrong }],
  } = await pool.query(`SELECT (SELECT count(*) FROM credit_accounts a WHERE held_nano <> 0
    OR posted_nano <> -(SELECT sum(amount_nano) FROM ledger_entries e WHERE e.org_id = a.org_id
      AND account = 'credits')) AS wrong`);
  console.log(
    `${rounds} rounds of ${seconds} s, ${CALLERS} callers; medians (min–max); accounts that are not what their ` +
      `entries say, or hold something: ${wrong}\n`,
  );
  console.log(
    '| callers for | what | held and paid, a second | p50 | p99 | processor time each, this process | and PostgreSQL |',
  );
  console.log('|---|---|---|---|---|---|---|');
  candidates.forEach(([who, what], index) => {
    const of = (name, unit, digits = 0) =>
      results[index][0][name] === undefined
        ? ''
        : `${spread(
            results[index].map((result) => result[name]),
            digits,
          )}${unit}`;
    console.log(
      `| ${who} | ${what} | ${of('perSecond', '')} | ${of('p50', ' ms', 1)} | ${of('p99', ' ms', 1)} | ` +
        `${of('ownUs', ' µs')} | ${of('databaseUs', ' µs')} |`,
    );
  });
  await compareBegin(hot);
}

/** The database's processes are all that this one has started, but for Redis, which does nothing here. */
async function withProcessorTime(measure) {
  const ofDatabase = () => cpuOf(descendantsOf(process.pid), { andOfEnded: true });
  const [from, own, database] = [made, process.cpuUsage(), ofDatabase()];
  const result = await measure();
  const { user, system } = process.cpuUsage(own);
  return {
    ...result,
    ownUs: (user + system) / (made - from),
    databaseUs: ((ofDatabase() - database) * MICROSECONDS) / (made - from),
  };
}

/** Each caller begins again as soon as it has ended. */
async function load(cycle, orgOf, forSeconds = seconds) {
  const times = [];
  const from = performance.now();
  const until = from + forSeconds * 1_000;
  await Promise.all(
    Array.from({ length: CALLERS }, async (_, caller) => {
      while (performance.now() < until) {
        const at = performance.now();
        await cycle(orgOf(caller));
        times.push(performance.now() - at);
      }
    }),
  );
  times.sort((a, b) => a - b);
  return {
    perSecond: times.length / ((performance.now() - from) / 1_000),
    p50: times[times.length >> 1],
    p99: times[Math.floor(times.length * 0.99)],
  };
}

function estimateOf(orgId, key) {
  return { orgId, plan: 'free', meter: 'sandbox_compute', lines: [{ quantity: 1_000n }], key };
}

/** One caller alone: what it takes to begin work, beside the commit of one row, one after the other. */
async function compareBegin(orgId) {
  const paid = app.get(PaidWorkService, { strict: false });
  await pool.query('CREATE TABLE plain_commits (key text PRIMARY KEY)');
  const times = { begin: [], commit: [] };
  const timed = async (name, work) => {
    const from = performance.now();
    await work();
    times[name].push(performance.now() - from);
  };
  for (let turn = 0; turn < PAIRS; turn++) {
    const key = `begin:${made++}`;
    await timed('begin', () => paid.begin(estimateOf(orgId, key)));
    await timed('commit', () => pool.query('INSERT INTO plain_commits VALUES ($1)', [key]));
    await paid.abandon({ key, orgId });
  }
  const [begin, commit] = [times.begin, times.commit].map((all) => all.slice(PAIRS / 5).sort((a, b) => a - b));
  const middle = (all) => all[Math.floor(all.length / 2)];
  console.log(
    `\nOne caller: begin ${middle(begin).toFixed(2)} ms, commit of one row ${middle(commit).toFixed(2)} ms, ` +
      `${(middle(begin) / middle(commit)).toFixed(2)} ×`,
  );
}

async function ours(orgId) {
  const key = `bench:${made++}`;
  const paid = app.get(PaidWorkService, { strict: false });
  const work = await paid.begin(estimateOf(orgId, key));
  await paid.end(work, [
    {
      source: 'bench',
      sourceId: key,
      orgId,
      meter: 'sandbox_compute',
      quantity: 700n,
      occurredAt: work.begunAt,
    },
  ]);
}

async function transaction(client, ...statements) {
  await client.query('BEGIN');
  for (const [text, values] of statements) await client.query(text, values);
  await client.query('COMMIT');
}

async function pair(client, orgId, keys) {
  const count = keys.length;
  await transaction(client, [ACCOUNT_HOLDS, [orgId, count * 1_000]], [HELD, [keys, orgId]]);
  await transaction(
    client,
    [ACCOUNT_PAYS, [orgId, count * 1_000, count * 700]],
    [PAID, [keys]],
    [ENTRIES, [keys, orgId]],
  );
}

async function oneByOne(orgId) {
  const client = await pool.connect();
  try {
    await pair(client, orgId, [`plain:${made++}`]);
  } finally {
    client.release();
  }
}

async function sets(orgId) {
  const client = await pool.connect();
  const from = performance.now();
  let done = 0;
  while (performance.now() < from + seconds * 1_000) {
    await pair(
      client,
      orgId,
      Array.from({ length: BATCH }, () => `plain:${made++}`),
    );
    done += BATCH;
  }
  client.release();
  return { perSecond: done / ((performance.now() - from) / 1_000) };
}

function spread(values, digits) {
  const sorted = [...values].sort((a, b) => a - b);
  const median = sorted[Math.floor(values.length / 2)];
  return `${median.toFixed(digits)} (${sorted[0].toFixed(digits)}–${sorted.at(-1).toFixed(digits)})`;
}
