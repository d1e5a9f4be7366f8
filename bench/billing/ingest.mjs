/**
 * Usage over HTTP (`POST /api/v1/billing/events`, a thousand events at once: read, judged, deduplicated, rated and
 * rolled up), beside the same events put into a bare table of the same PostgreSQL by `INSERT … SELECT unnest … ON
 * CONFLICT DO NOTHING`, which neither rates nor rolls anything up. Both in turns of one run. Beside the rate stands the
 * processor time, which does not depend on what else the machine does.
 *
 *   npm run bench:ingest -- [rounds] [seconds] [organizations]
 */
import '../../scripts/on-pinned-node.mjs';
import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { processorSeconds } from './processor-time.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const require = createRequire(import.meta.url);
const { startEmbeddedPostgres } = require(join(ROOT, 'dist/src/roles/embedded/embedded-postgres.js'));
const { startEmbeddedRedis } = require(join(ROOT, 'dist/src/roles/embedded/embedded-redis.js'));
const { migrate } = require(join(ROOT, 'dist/src/roles/migrate.js'));

const [rounds = 3, seconds = 6, organizations = 1_000] = process.argv.slice(2).map(Number);
const EVENTS = 1_000;
const TOKEN = 'a-token-for-this-measurement';
const ORGS = Array.from({ length: organizations }, (_, index) => `org_${String(index).padStart(26, '0')}`);
const BODIES = 60;
const PLAIN = `
  INSERT INTO bench_events SELECT *
    FROM unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[], $5::timestamptz[], $6::text[], $7::text[])
    ON CONFLICT DO NOTHING`;

const dataDir = mkdtempSync(join(tmpdir(), 'bench-ingest-'));
const log = () => undefined;
const postgres = await startEmbeddedPostgres({ dataDir, durable: true, log });
const redis = await startEmbeddedRedis({ dataDir, durable: true, log });
await migrate(postgres.url);
const pool = new pg.Pool({ connectionString: postgres.url, max: 8 });
let service;
let accepted = 0;
try {
  await pool.query(
    `
    INSERT INTO organizations (id, slug, name, plan, created_at, updated_at)
    SELECT id, 'bench-' || place, 'bench', 'pro', now(), now() FROM unnest($1::text[])
      WITH ORDINALITY AS given (id, place)`,
    [ORGS],
  );
  await pool.query(
    `CREATE TABLE bench_events (id uuid PRIMARY KEY, org_id text, meter text, quantity bigint,
      occurred_at timestamptz, source text, source_id text)`,
  );
  service = await start();
  await overHttp(2, 1);
  const results = [];
  for (const concurrency of [1, 2, 4]) {
    const measured = { http: [], sql: [] };
    for (let round = 0; round < rounds; round++) {
      const turns = [
        async () => measured.http.push(await overHttp(concurrency, seconds)),
        async () => measured.sql.push(await bySql(concurrency, seconds)),
      ];
      for (const turn of round % 2 === 0 ? turns : turns.reverse()) await turn();
    }
    results.push({ concurrency, measured });
  }
  await check();
  report(results);
} finally {
  service?.child.kill('SIGTERM');
  await pool.end();
  await redis.stop();
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function start() {
  const logFile = openSync(join(dataDir, 'service.log'), 'w');
  const child = spawn(process.execPath, [join(ROOT, 'dist/src/main.js'), 'api'], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      API_KEY_PEPPER: 'a pepper that lasts for this measurement only',
      SECRETS_KEY: 'a key that lasts for this measurement only',
      USAGE_TOKEN: TOKEN,
      PORT: '0',
    },
    stdio: ['ignore', logFile, 'pipe'],
  });
  const url = await new Promise((resolve, reject) => {
    let text = '';
    child.stderr.on('data', (chunk) => {
      text += chunk;
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(text);
      if (found) resolve(found[0]);
    });
    child.once('exit', () => reject(new Error(`The service ended: ${text}`)));
  });
  return { child, url: `${url}/api/v1/billing/events` };
}

function events() {
  const at = Date.now() - 600_000;
  return Array.from({ length: EVENTS }, (_, index) => ({
    source: 'bench',
    id: randomUUID(),
    org_id: ORGS[Math.floor(Math.random() * ORGS.length)],
    meter: 'sandbox_compute',
    quantity: 1_234,
    occurred_at: new Date(at + index * 600).toISOString(),
  }));
}

/** What is sent is made before, so that the time is that of the service. */
async function measure(concurrency, duration, make, send) {
  const durations = [];
  const cpu = { service: 0, postgres: 0 };
  let [count, spentMs] = [0, 0];
  while (spentMs < duration * 1_000) {
    const prepared = Array.from({ length: BODIES }, make);
    const before = processorSeconds(dataDir, service.child.pid);
    const from = performance.now();
    await Promise.all(
      Array.from({ length: concurrency }, async () => {
        for (let next = prepared.pop(); next !== undefined; next = prepared.pop()) {
          const began = performance.now();
          await send(next);
          durations.push(performance.now() - began);
          count += EVENTS;
        }
      }),
    );
    spentMs += performance.now() - from;
    const after = processorSeconds(dataDir, service.child.pid);
    for (const name of Object.keys(cpu)) cpu[name] += after[name] - before[name];
  }
  durations.sort((one, other) => one - other);
  const cpuMs = (seconds) => (seconds * 1e6) / count;
  return {
    service: cpuMs(cpu.service),
    postgres: cpuMs(cpu.postgres),
    perSecond: (count / spentMs) * 1_000,
    p50: durations[Math.floor(durations.length / 2)],
    p99: durations[Math.floor(durations.length * 0.99)],
  };
}

function overHttp(concurrency, duration) {
  return measure(
    concurrency,
    duration,
    () => JSON.stringify({ events: events() }),
    async (body) => {
      const answer = await fetch(service.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
        body,
      });
      const { data } = await answer.json();
      if (data?.accepted !== EVENTS) throw new Error(`${answer.status}: ${JSON.stringify(data)}`);
      accepted += data.accepted;
    },
  );
}

function bySql(concurrency, duration) {
  const make = () => {
    const list = events();
    return [
      list.map((event) => idOf(event)),
      ...['org_id', 'meter', 'quantity', 'occurred_at', 'source', 'id'].map((field) =>
        list.map((event) => event[field]),
      ),
    ];
  };
  return measure(concurrency, duration, make, (values) => pool.query({ name: 'plain', text: PLAIN, values }));
}

/** Creates ids like those of the service, from the time and a hash. */
function idOf({ source, id, occurred_at }) {
  const hash = createHash('sha256').update(`${source}\0${id}`).digest('hex');
  const time = Date.parse(occurred_at).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hash.slice(1, 4)}-8${hash.slice(5, 8)}-${hash.slice(8, 20)}`;
}

/** Fast and wrong would be nothing. */
async function check() {
  const {
    rows: [sums],
  } = await pool.query(`
    SELECT (SELECT count(*) FROM usage_events) AS events, (SELECT sum(cost_nano) FROM usage_events) AS cost,
      (SELECT sum(events) FROM usage_hours) AS hour_events, (SELECT sum(cost_nano) FROM usage_hours) AS hour_cost,
      (SELECT sum(cost_nano) FROM usage_months) AS month_cost,
        (SELECT sum(div(quantity * price_nano, priced_per)) FROM usage_months) AS rated`);
  const costs = new Set([sums.cost, sums.hour_cost, sums.month_cost, sums.rated]);
  if (Number(sums.events) !== accepted || Number(sums.hour_events) !== accepted || costs.size !== 1)
    throw new Error(`The sums differ: ${JSON.stringify({ ...sums, accepted })}`);
  console.log(
    `${accepted} events recorded; events, hours, months and the price of the whole agree to the nano-dollar.\n`,
  );
}

function report(results) {
  console.log(
    `${rounds} rounds of ${seconds} s, ${EVENTS} events at once, of ${organizations} organizations; medians ` +
      '(min–max)\n',
  );
  console.log(
    '| requests at once | way | events/s | p50 | p99 | processor time for 1,000 events: service | PostgreSQL |',
  );
  console.log('|---|---|---|---|---|---|---|');
  for (const { concurrency, measured } of results) {
    for (const [name, turns] of Object.entries(measured)) {
      console.log(
        `| ${concurrency} | ${name === 'http' ? 'over HTTP' : 'bare INSERT'} | ` +
          `${spread(turns.map(({ perSecond }) => perSecond))} | ${spread(turns.map(({ p50 }) => p50))} ms | ` +
          `${spread(turns.map(({ p99 }) => p99))} ms | ` +
          `${name === 'http' ? `${spread(turns.map((turn) => turn.service))} ms` : ''} | ` +
          `${spread(turns.map((turn) => turn.postgres))} ms |`,
      );
    }
  }
}

function spread(values) {
  const sorted = [...values].sort((one, other) => one - other);
  return `${sorted[Math.floor(sorted.length / 2)].toFixed(0)} (${sorted[0].toFixed(0)}–${sorted.at(-1).toFixed(0)})`;
}
