/**
 * Closing a month: every organization's cut-off, its usage counted twice (from the roll-ups and from its events),
 * lines, number and books, as the worker does it. Then the invoices are compared with the events, to the nano-dollar.
 * Before that the month is reconciled, as it is every hour.
 *
 * The month is filled by SQL: events in the order of time, with the ids, costs and sums that the service would have
 * written, which the reconciliation then confirms. Nothing of it has been paid for, so that the close has to do that as
 * well.
 *
 *   npm run bench:close -- [organizations] [events for each]
 */
import '../../scripts/on-pinned-node.mjs';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { processorSeconds } from './processor-time.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const require = createRequire(import.meta.url);
require('reflect-metadata');
const load = (path) => require(join(ROOT, 'dist/src', path));
const { startEmbeddedPostgres } = load('roles/embedded/embedded-postgres.js');
const { startEmbeddedRedis } = load('roles/embedded/embedded-redis.js');
const { migrate } = load('roles/migrate.js');
const { createApp } = load('roles/create-app.js');
const { createDataSource } = load('roles/data-source.js');
const { Config } = load('platform/config/config.js');
const { NoSiblings } = load('platform/lifecycle/sibling-processes.js');
const { loadSettings } = load('roles/settings.js');
const { openLog } = load('platform/logging/log.js');
const { RequestContext } = load('platform/logging/request-context.js');
const { Clock } = load('platform/time/clock.js');
const { Database } = load('platform/database/database.js');
const { monthOf } = load('modules/metering/month.js');
const { UsageReconciliationStore } = load('modules/metering/persistence/usage-reconciliation.store.js');
const { UsageReconciler } = load('modules/metering/reconciliation/usage-reconciler.js');
const { pricedQuantityOf } = load('modules/metering/prices/price-version.js');
const { UsagePartitions } = load('modules/metering/recording/usage-partitions.js');
const { OrgDirectory } = load('modules/orgs/org-directory.js');
const { MonthCloseRun } = load('modules/billing/invoices/month-close-run.js');

const [organizations = 1_000, eventsOfEach = 100] = process.argv.slice(2).map(Number);
const WRITERS = 2;
/** Rows that one statement of the filling writes, roughly. */
const SLICE = 100_000;
const METERS = [
  ['sandbox_compute', null],
  ['database_storage', null],
  ['object_storage', null],
  ['ai_tokens', 'openai/gpt-mini:input'],
];
const ORGS = Array.from({ length: organizations }, (_, index) => `org_${String(index).padStart(26, '0')}`);

const dataDir = mkdtempSync(join(tmpdir(), 'bench-close-'));
const log = () => undefined;
const postgres = await startEmbeddedPostgres({ dataDir, durable: true, log });
const redis = await startEmbeddedRedis({ dataDir, durable: true, log });
let app;
try {
  await migrate(postgres.url);
  const settings = loadSettings({
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    DATA_DIR: dataDir,
    PORT: '0',
    SANDBOX_ENABLED: 'false',
    LOG_LEVEL: 'error',
    API_KEY_PEPPER: 'a pepper that lasts for this measurement only',
    SECRETS_KEY: 'a key that lasts for this measurement only',
  });
  const quiet = openLog(
    settings.of(Config),
    new Writable({
      write: (chunk, _encoding, done) => {
        process.stderr.write(chunk);
        done();
      },
    }),
  );
  app = await createApp(['api'], {
    settings,
    log: quiet,
    siblings: new NoSiblings(),
    context: new RequestContext(),
    dataSource: createDataSource({ url: postgres.url, poolSize: 10 }),
  });
  await app.init();
  const get = (type) => app.get(type, { strict: false });
  const sql = (text, values = []) => get(Database).manager.query(text, values);

  // The next month, as if it were now.
  const real = new Date();
  const from = new Date(Date.UTC(real.getUTCFullYear(), real.getUTCMonth() + 1));
  const to = new Date(Date.UTC(real.getUTCFullYear(), real.getUTCMonth() + 2));
  let now = new Date(to.getTime() - 1_000);
  get(Clock).now = () => new Date(now);
  await sql('INSERT INTO closed_periods (period_from, closed_at) VALUES ($1, now())', [
    new Date(Date.UTC(real.getUTCFullYear(), real.getUTCMonth())),
  ]);
  await sql(
    `
    INSERT INTO organizations (id, slug, name, plan, created_at, updated_at)
    SELECT id, 'bench-' || place, 'bench', 'builder', $2, $2 FROM unnest($1::text[])
      WITH ORDINALITY AS given (id, place)`,
    [ORGS, real],
  );
  await sql(
    `
    INSERT INTO plan_changes (id, org_id, from_plan, to_plan, price_nano, effective_at, made_at)
    SELECT 'plc_' || place, id, 'free', 'builder', 49000000000,
      date_trunc('second', $2::timestamptz) + place * interval '1 second', $2 FROM unnest($1::text[])
      WITH ORDINALITY AS given (id, place)`,
    [ORGS, from],
  );

  await get(UsagePartitions).ensure([monthOf(from)]);
  const filled = await measured(() => fill(sql, from, to));
  await sql('ANALYZE');
  await sql('CHECKPOINT');
  const { windows, ...reconciled } = await reconcile(monthOf(from));
  if (reconciled.result > 0) throw new Error(`The month was filled wrongly: ${reconciled.result} sums differ.`);
  now = new Date(to.getTime() + 49 * 3_600_000);
  const closing = await measured(() => get(MonthCloseRun).closeAllDue());
  const closed = closing.result;
  if (closed.failed > 0 || closed.organizations !== organizations)
    throw new Error(`Not closed: ${JSON.stringify(closed)}`);

  const [difference] = await sql(`
    SELECT (SELECT sum(events) FROM usage_months) - (SELECT count(*) FROM usage_events) AS counts,
      (SELECT coalesce(sum(amount_nano), 0) FROM invoice_lines
      WHERE kind = 'usage') - (SELECT coalesce(sum(cost_nano), 0) FROM usage_events) AS events,
      (SELECT coalesce(sum(amount_nano), 0) FROM invoice_lines) - (SELECT coalesce(sum(total_cents), 0) * 10000000
        FROM invoices) AS totals,
      (SELECT coalesce(sum(amount_nano), 0) FROM ledger_entries) AS books,
      (SELECT count(*) - max(number) FROM invoices) AS numbers`);
  const [{ count: events }] = await sql('SELECT count(*) FROM usage_events');
  console.log(
    `${organizations} organizations, ${events} events; filled in ${(filled.ms / 1_000).toFixed(0)} s; processor ` +
      `time of PostgreSQL ${filled.postgres.toFixed(1)} s.`,
  );
  console.log(
    `Reconciled in ${(reconciled.ms / 1_000).toFixed(1)} s, ${windows.length} statements of at most ` +
      `${Math.max(...windows).toFixed(0)} ms; processor time of PostgreSQL ${reconciled.postgres.toFixed(1)} s.`,
  );
  console.log(
    `Closed in ${(closing.ms / 1_000).toFixed(1)} s: ${Math.round((organizations / closing.ms) * 1_000)} ` +
      `organizations, ${Math.round((events / closing.ms) * 1_000)} events a second; processor time of the service ` +
      `${closing.service.toFixed(1)} s, of PostgreSQL ${closing.postgres.toFixed(1)} s.`,
  );
  console.log(
    `Differences in nano-dollars: lines and events ${difference.events}, lines and totals ${difference.totals}, ` +
      `books ${difference.books}; counts of events ${difference.counts}; gaps in numbers ${difference.numbers}.`,
  );
  if (Object.values(difference).some((off) => BigInt(off) !== 0n)) process.exitCode = 1;
} finally {
  await app?.close();
  await redis.stop();
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

/**
 * Each organization and meter is a cell, and uses `base + factor · r` at each of its events, where `r` is the same for
 * all cells. So what a cell has used before an event, which its cost depends on, is known without adding up.
 */
async function fill(sql, from, to) {
  const perCell = Math.max(1, Math.round(eventsOfEach / METERS.length));
  const month = monthOf(from);
  await sql(`CREATE TABLE bench_steps AS
    SELECT step, r, sum(r) OVER (ORDER BY step) - r AS before
    FROM (SELECT step, floor(random() * 10000)::bigint AS r FROM generate_series(0, ${perCell - 1}) AS step) AS steps`);
  await sql(
    `CREATE TABLE bench_cells AS
    SELECT org_id, p.meter, p.model, p.id AS price_version, p.price_nano, given.priced_per,
      floor(random() * 1e7)::bigint AS base, floor(random() * 1000)::bigint AS factor, NULL::bigint AS usage_month_id
    FROM unnest($1::text[]) AS org_id, unnest($2::text[], $3::text[], $4::bigint[]) AS given (meter, model, priced_per)
      JOIN LATERAL (SELECT * FROM price_versions p WHERE p.meter = given.meter AND p.model = given.model
        AND p.effective_from <= $5 ORDER BY effective_from DESC LIMIT 1) AS p ON true`,
    [
      ORGS,
      METERS.map(([meter]) => meter),
      METERS.map(([, model]) => model ?? ''),
      METERS.map(([meter]) => pricedQuantityOf(meter, month).toString()),
      from,
    ],
  );
  await sql(
    `
    INSERT INTO usage_months (org_id, month, used_in, meter, model, price_version, price_nano, priced_per, quantity,
      cost_nano, events, closed)
    SELECT org_id, $1, $1, meter, model, price_version, price_nano, priced_per, quantity,
      div(quantity * price_nano, priced_per), ${perCell}, false
    FROM (SELECT c.*, (base * ${perCell} + factor * (SELECT sum(r) FROM bench_steps))::numeric AS quantity
      FROM bench_cells c) AS cells`,
    [month.name],
  );
  await sql(
    `UPDATE bench_cells c SET usage_month_id = m.id FROM usage_months m WHERE m.org_id = c.org_id
      AND m.meter = c.meter`,
  );
  await sql(
    `INSERT INTO unpaid_usage (org_id, month, meter, model, cost_nano) SELECT org_id, month, meter, model, cost_nano
      FROM usage_months`,
  );
  await sql('ANALYZE bench_cells');

  let next = 0;
  const steps = Math.max(1, Math.round(SLICE / (organizations * METERS.length)));
  await Promise.all(
    Array.from({ length: WRITERS }, async () => {
      const client = new pg.Client({ connectionString: postgres.url });
      await client.connect();
      // What it writes refers to rows that are there: to look each of them up again would take longer than to write it.
      await client.query('SET session_replication_role = replica');
      while (next < perCell) {
        const first = next;
        next += steps;
        await client.query(
          `
        WITH given AS MATERIALIZED (
          SELECT c.*, c.base + c.factor * s.r AS quantity, (c.base * s.step + c.factor * s.before)::numeric AS before,
            $1::bigint + floor((s.step + random()) * $2 / ${perCell})::bigint AS ms,
              c.usage_month_id || ' ' || s.step AS source_id
          FROM bench_steps s, bench_cells c WHERE s.step >= $3 AND s.step < $4
        ), rated AS MATERIALIZED (
          SELECT *, to_timestamp(ms / 1000.0) AS at,
            div((before + quantity) * price_nano, priced_per) - div(before * price_nano, priced_per) AS cost_nano,
            sha256('bench'::bytea || '\\x00'::bytea || source_id::bytea) AS digest
          FROM given
        ), events AS (
          INSERT INTO usage_events (id, org_id, meter, model, quantity, price_version, cost_nano, occurred_at,
            billed_at, late, source, source_id)
          SELECT (lpad(to_hex(ms), 12, '0') || '7' || substr(encode(digest, 'hex'), 1, 3) || substr('89ab',
            (get_byte(digest, 1) & 3) + 1, 1) || substr(encode(digest, 'hex'), 5, 15))::uuid,
            org_id, meter, model, quantity, price_version, cost_nano, at, at, false, 'bench', source_id
          FROM rated ORDER BY ms
        )
        INSERT INTO usage_hours AS h (usage_month_id, hour, project_id, quantity, cost_nano, events)
        SELECT usage_month_id, date_trunc('hour', at, 'UTC'), '', sum(quantity), sum(cost_nano), count(*) FROM rated
          GROUP BY 1, 2 ORDER BY 1, 2
        ON CONFLICT (usage_month_id, hour, project_id) DO UPDATE
        SET quantity = h.quantity + EXCLUDED.quantity, cost_nano = h.cost_nano + EXCLUDED.cost_nano,
          events = h.events + EXCLUDED.events`,
          [from.getTime(), to.getTime() - from.getTime() - 2_000, first, first + steps],
        );
      }
      await client.end();
    }),
  );
}

/** Reconciles the month as a worker does every hour; its clock stands in this month. */
async function reconcile(month) {
  const store = new UsageReconciliationStore(app.get(Database, { strict: false }));
  const drifted = store.drifted.bind(store);
  const windows = [];
  store.drifted = async (...request) => {
    const from = performance.now();
    const found = await drifted(...request);
    if (request[0].name === month.name) windows.push(performance.now() - from);
    return found;
  };
  const [database, orgs, clock] = [Database, OrgDirectory, Clock].map((type) => app.get(type, { strict: false }));
  const metrics = { reconciled: () => undefined };
  const reconciler = new UsageReconciler(database, orgs, store, metrics, clock, { error: console.error });
  return { windows, ...(await measured(() => reconciler.reconcile())) };
}

/** With the processor time of this process, which is the service here, and of PostgreSQL. */
async function measured(work) {
  const before = processorSeconds(dataDir, process.pid);
  const from = performance.now();
  const result = await work();
  const ms = performance.now() - from;
  const after = processorSeconds(dataDir, process.pid);
  return { result, ms, service: after.service - before.service, postgres: after.postgres - before.postgres };
}
