/**
 * `npm run bench:databases [-- samples] [awake] [megabytes]`: what a PostgreSQL of its own costs each project.
 *
 * Creating one is compared with `CREATE DATABASE` on a shared server, and a query through the gateway with one over the
 * socket of that server, in turns in the same run. `-- 1 2 10` tries everything once, in two minutes.
 */
import '../../scripts/on-pinned-node.mjs';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { descendantsOf, median, quantile, ROOT, startService } from '../service.mjs';

const [samples = 15, awake = 40, megabytes = 1_000] = process.argv.slice(2).map(Number);
const QUERIES = 2_000;
const MEGABYTE = 1_000_000;
const REPORTED_AFTER_MS = 4_000;

const require = createRequire(import.meta.url);
const { startEmbeddedPostgres } = require(join(ROOT, 'dist/src/roles/embedded/embedded-postgres.js'));

const dataDir = mkdtempSync(join(tmpdir(), 'bench-databases-'));
const shared = await startEmbeddedPostgres({ dataDir, durable: true, log: () => undefined });
const direct = new pg.Client({ connectionString: shared.url });
let service;
let made = 0;

try {
  await direct.connect();
  service = await startService({
    settings: {
      DATABASE_FREEZE_AFTER_MS: '500',
      DATABASE_SLEEP_AFTER_MS: '2000',
      // The memory of this machine may be enough for fewer.
      DATABASES_MAX_AWAKE: String(awake + samples + 10),
    },
  });
  console.log(
    `Node ${process.versions.node}, ${availableParallelism()} processors, a load of ` +
      `${(loadavg()[0] / availableParallelism()).toFixed(1)} each before\n`,
  );
  await creating();
  const database = await create();
  const url = await urlOf(database);
  await waking(database, url);
  await thawing(database, url);
  await querying(url);
  await crowd();
  await restoring();
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await service?.stop();
  await direct.end().catch(() => undefined);
  await shared.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function creating() {
  await create();
  const [own, theirs] = [[], []];
  for (let turn = 0; turn < samples; turn++) {
    own.push(await timed(() => create()));
    theirs.push(await timed(() => direct.query(`CREATE DATABASE shared_${turn}`)));
  }
  report('create until ready', own, `${(median(own) / median(theirs)).toFixed(2)} × CREATE DATABASE (aim 1.5)`);
  report('CREATE DATABASE on a shared server', theirs);
}

async function waking(database, url) {
  const times = [];
  for (let turn = 0; turn < samples; turn++) {
    // What the row says is a moment old.
    await sleep(REPORTED_AFTER_MS);
    await until(database, ({ activity }) => activity === 'asleep');
    times.push(await timed(() => ask(url)));
  }
  report('asleep to first answer', times, 'aim 160 ms p95');
}

async function thawing(database, url) {
  const client = await connected(url);
  const times = [];
  for (let turn = 0; turn < samples; turn++) {
    await sleep(REPORTED_AFTER_MS);
    await until(database, ({ activity }) => activity === 'frozen');
    times.push(await timed(() => client.query('SELECT 1')));
  }
  await client.end();
  report('frozen to answer', times, 'aim 15 ms');
}

async function querying(url) {
  const client = await connected(url);
  const [through, straight] = [[], []];
  for (let turn = 0; turn < QUERIES; turn++) {
    through.push(await timed(() => client.query('SELECT 1')));
    straight.push(await timed(() => direct.query('SELECT 1')));
  }
  await client.end();
  const added = median(through) - median(straight);
  report('SELECT 1 through the gateway', through, `+${added.toFixed(2)} ms (aim 0.2)`);
  report('SELECT 1 over a socket', straight);
}

async function crowd() {
  const clients = [];
  for (let count = 0; count < awake; count++) clients.push(await connected(await urlOf(await create())));
  await Promise.all(clients.map((client) => client.query('SELECT 1')));
  const { bytes, clusters } = memoryOfClusters();
  if (clusters < awake) throw new Error(`Of ${awake} databases with a connection, ${clusters} are running.`);
  const each = bytes / clusters / MEGABYTE;
  console.log(`${'memory of each awake'.padEnd(38)} ${each.toFixed(1)} MB of ${clusters}, aim 10 MB`);
  await Promise.all(clients.map((client) => client.end()));
}

async function restoring() {
  const database = await create();
  const client = await connected(await urlOf(database));
  const rows = Math.round((megabytes * MEGABYTE) / 300);
  await client.query(
    `CREATE TABLE big AS SELECT g id, md5(g::text) k, repeat(md5(g::text), 6) v FROM generate_series(1, ${rows}) g`,
  );
  await service.call('POST', `/databases/${database}/backups`);
  for (;;) {
    const [backup] = await service.call('GET', `/databases/${database}/backups`);
    if (backup?.state === 'ready') break;
    if (backup?.state === 'failed') throw new Error('The backup failed.');
    await sleep(200);
  }
  const at = (await client.query('SELECT clock_timestamp() t')).rows[0].t;
  await client.query('DROP TABLE big');
  await client.end();
  await sleep(65_000);
  const tookMs = await timed(async () => {
    const { id } = await service.call('POST', `/databases/${database}/restore`, { at: at.toISOString() });
    await until(id, ({ state }) => state === 'ready');
    const { rows: found } = await service.call('POST', `/databases/${id}/query`, {
      sql: 'SELECT count(*) FROM big',
      access: 'read',
      // Reading all of it for the first time takes a slow disk longer than a question usually may.
      timeout_ms: 30_000,
    });
    if (Number(found[0][0]) !== rows) throw new Error(`Restored ${found[0][0]} of ${rows} rows.`);
  });
  console.log(`${`restore of ${megabytes} MB`.padEnd(38)} ${(tookMs / 1_000).toFixed(1)} s, aim 15 s for 1 GB`);
}

async function create() {
  const { id } = await service.call('POST', '/databases', { name: `bench-${++made}` });
  await until(id, ({ state }) => state === 'ready');
  return id;
}

async function urlOf(database) {
  return (await service.call('POST', `/databases/${database}/credentials`, { access: 'owner' })).url;
}

async function until(database, isSo) {
  for (;;) {
    const found = await service.call('GET', `/databases/${database}`);
    if (isSo(found)) return found;
    if (found.state === 'failed') throw new Error(`A database failed: ${JSON.stringify(found.error)}`);
    await sleep(5);
  }
}

/** The certificate is the service's own. */
async function connected(url) {
  const client = new pg.Client({
    connectionString: url.replace(/\?.*$/, ''),
    ssl: { rejectUnauthorized: false },
  });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function ask(url) {
  const client = await connected(url);
  await client.query('SELECT 1');
  await client.end();
}

/** The proportional memory of all servers of databases below the service, and how many they are. */
function memoryOfClusters() {
  let bytes = 0;
  let clusters = 0;
  for (const pid of descendantsOf(service.pid)) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      if (!/postgres/.test(command) || !isContained(pid)) continue;
      // A server names its settings; its other processes are titled by what they do.
      if (/^[^\0]*\/postgres\0-D\0/.test(command) && command.includes('config_file=')) clusters += 1;
      bytes += 1_024 * Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))[1]);
    } catch {
      // It has just ended.
    }
  }
  return { bytes, clusters };
}

/** True for a process in a namespace of processes of its own. */
function isContained(pid) {
  return /^NSpid:\s+\d+\s+\d+/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
}

async function timed(work) {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

function report(what, times, note = '') {
  console.log(
    `${what.padEnd(38)} ${median(times).toFixed(2)} ms p50, ${quantile(times, 0.95).toFixed(2)} ms p95` +
      (note === '' ? '' : `, ${note}`),
  );
}
