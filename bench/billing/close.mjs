/**
 * Closing a month: every organization's cut-off, its usage counted twice (from the roll-ups and from its events), lines, number
 * and books, as the worker does it. Then the invoices are compared with the events, to the nano-dollar.
 *
 *   npm run bench:close -- [organizations] [events for each]
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const require = createRequire(import.meta.url);
require('reflect-metadata');
const load = (path) => require(join(ROOT, 'dist/src', path));
const { startEmbeddedPostgres } = load('roles/embedded/embedded-postgres.js');
const { startEmbeddedRedis } = load('roles/embedded/embedded-redis.js');
const { migrate } = load('roles/migrate.js');
const { createApp } = load('roles/create-app.js');
const { createDataSource } = load('roles/data-source.js');
const { loadConfig } = load('platform/config/config.js');
const { openLog } = load('platform/logging/log.js');
const { RequestContext } = load('platform/logging/request-context.js');
const { Clock } = load('platform/time/clock.js');
const { Database } = load('platform/database/database.js');
const { UsageService } = load('modules/metering/usage.service.js');
const { MonthClosings } = load('modules/billing/invoices/month-closings.service.js');

const [organizations = 1_000, eventsOfEach = 100] = process.argv.slice(2).map(Number);
const BATCH = 2_000;
const WRITERS = 4;
const METERS = [['sandbox_compute', null], ['database_storage', null], ['object_storage', null], ['ai_tokens', 'openai/gpt-mini:input']];
const ORGS = Array.from({ length: organizations }, (_, index) => `org_${String(index).padStart(26, '0')}`);

const dataDir = mkdtempSync(join(tmpdir(), 'bench-close-'));
const log = () => undefined;
const postgres = await startEmbeddedPostgres({ dataDir, durable: true, log });
const redis = await startEmbeddedRedis({ dataDir, durable: true, log });
let app;
try {
  await migrate(postgres.url);
  const config = loadConfig({
    DATABASE_URL: postgres.url, REDIS_URL: redis.url, DATA_DIR: dataDir, PORT: '0', SANDBOX_ENABLED: 'false', LOG_LEVEL: 'error',
    API_KEY_PEPPER: 'a pepper that lasts for this measurement only', SECRETS_KEY: 'a key that lasts for this measurement only',
  });
  const quiet = openLog(config, new Writable({ write: (chunk, _encoding, done) => { process.stderr.write(chunk); done(); } }));
  app = await createApp('api', { config, log: quiet, context: new RequestContext(), dataSource: createDataSource({ url: postgres.url, poolSize: 10 }) });
  await app.init();
  const get = (type) => app.get(type, { strict: false });
  const sql = (text, values = []) => get(Database).manager.query(text, values);

  // The next month, as if it were now.
  const real = new Date();
  const from = new Date(Date.UTC(real.getUTCFullYear(), real.getUTCMonth() + 1));
  const to = new Date(Date.UTC(real.getUTCFullYear(), real.getUTCMonth() + 2));
  let now = new Date(to.getTime() - 1_000);
  get(Clock).now = () => new Date(now);
  await sql('INSERT INTO closed_periods (period_from, closed_at) VALUES ($1, now())', [new Date(Date.UTC(real.getUTCFullYear(), real.getUTCMonth()))]);
  await sql(`
    INSERT INTO organizations (id, slug, name, plan, created_at, updated_at)
    SELECT id, 'bench-' || place, 'bench', 'builder', $2, $2 FROM unnest($1::text[]) WITH ORDINALITY AS given (id, place)`, [ORGS, real]);
  await sql(`
    INSERT INTO plan_changes (id, org_id, from_plan, to_plan, price_nano, effective_at, made_at)
    SELECT 'plc_' || place, id, 'free', 'builder', 49000000000, date_trunc('second', $2::timestamptz) + place * interval '1 second', $2 FROM unnest($1::text[]) WITH ORDINALITY AS given (id, place)`, [ORGS, from]);

  const filledMs = await timed(() => fill(get(UsageService), from, to));
  await sql('ANALYZE');
  now = new Date(to.getTime() + 49 * 3_600_000);
  let closed;
  const closedMs = await timed(async () => { closed = await get(MonthClosings).closeAllDue(); });
  if (closed.failed > 0 || closed.organizations !== organizations) throw new Error(`Not closed: ${JSON.stringify(closed)}`);

  const [difference] = await sql(`
    SELECT (SELECT coalesce(sum(amount_nano), 0) FROM invoice_lines WHERE kind = 'usage') - (SELECT coalesce(sum(cost_nano), 0) FROM usage_events) AS events,
      (SELECT coalesce(sum(amount_nano), 0) FROM invoice_lines) - (SELECT coalesce(sum(total_cents), 0) * 10000000 FROM invoices) AS totals,
      (SELECT coalesce(sum(amount_nano), 0) FROM ledger_entries) AS books,
      (SELECT count(*) - max(number) FROM invoices) AS numbers`);
  const events = organizations * eventsOfEach;
  console.log(`${organizations} organizations, ${events} events; recorded at ${Math.round((events / filledMs) * 1_000)} a second.`);
  console.log(`Closed in ${(closedMs / 1_000).toFixed(1)} s: ${Math.round((organizations / closedMs) * 1_000)} organizations, ${Math.round((events / closedMs) * 1_000)} events a second.`);
  console.log(`Differences in nano-dollars: lines and events ${difference.events}, lines and totals ${difference.totals}, books ${difference.books}; gaps in numbers ${difference.numbers}.`);
  if (Object.values(difference).some((off) => BigInt(off) !== 0n)) process.exitCode = 1;
} finally {
  await app?.close();
  await redis.stop();
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function fill(usage, from, to) {
  let next = 0;
  const all = organizations * eventsOfEach;
  await Promise.all(Array.from({ length: WRITERS }, async () => {
    while (next < all) {
      const begin = next;
      next += BATCH;
      await usage.record(Array.from({ length: Math.min(BATCH, all - begin) }, (_, index) => {
        const place = begin + index;
        const [meter, model] = METERS[place % METERS.length];
        const orgId = ORGS[Math.floor(place / eventsOfEach)];
        return { source: 'bench', sourceId: randomUUID(), orgId, meter, model, quantity: BigInt(1 + Math.floor(Math.random() * 10_000_000)), occurredAt: new Date(from.getTime() + Math.floor(Math.random() * (to - from - 2_000))) };
      }));
    }
  }));
}

async function timed(work) {
  const from = performance.now();
  await work();
  return performance.now() - from;
}
