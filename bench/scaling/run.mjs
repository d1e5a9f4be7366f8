/**
 * How cost grows: what one organization and one row take, and what 1, 2 and 3 processes of a role do. It prints the
 * tables of docs/scaling.md. Sizes are exact on any machine. Processor time for a request hardly depends on what else
 * the machine does; requests and runs a second do, so measure them on an idle one.
 *
 *   npm run bench:scaling -- [seconds a round] [organizations] [sizes|api|worker]
 */
import '../../scripts/on-pinned-node.mjs';
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { once } from 'node:events';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { Redis } from 'ioredis';
import pg from 'pg';
import { cpuOf, descendantsOf, freePort, ROOT } from '../service.mjs';
import { HELLO } from '../sandbox/hello.mjs';
import { bytesOfLimits, bytesOfOrganizations, bytesOfRows, memoryOf } from './sizes.mjs';

const require = createRequire(import.meta.url);
const { startEmbeddedPostgres } = require(join(ROOT, 'dist/src/roles/embedded/embedded-postgres.js'));
const { startEmbeddedRedis } = require(join(ROOT, 'dist/src/roles/embedded/embedded-redis.js'));
const { addressOf } = require(join(ROOT, 'dist/src/platform/redis/redis-address.js'));
const { LimitScript } = require(join(ROOT, 'dist/src/modules/limits/counting/limit-script.js'));
const { migrate } = require(join(ROOT, 'dist/src/roles/migrate.js'));

const [seconds = 5, organizations = 10_000] = process.argv.slice(2).map(Number).filter(Number.isFinite);
const only = process.argv.slice(2).find((each) => ['sizes', 'api', 'worker'].includes(each));
const isWanted = (part) => only === undefined || only === part;
const MOST_PROCESSES = 3;
const ROWS = 100_000;
const MANY = 1_000_000;
const CALLERS = 20;
const CONNECTIONS = 32;
const WARM_UP_REQUESTS = 5_000;
/** Of the figures in /proc, on all architectures that Node runs on. */
const CLOCK_TICKS_PER_SECOND = 100;
const STARTS_WITHIN_MS = 180_000;

const dataDir = mkdtempSync(join(tmpdir(), 'bench-scaling-'));
chmodSync(dataDir, 0o711);
const log = () => undefined;
const postgres = await startEmbeddedPostgres({ dataDir, durable: true, log });
const redis = await startEmbeddedRedis({ dataDir, durable: true, log });
await migrate(postgres.url);
const database = new pg.Client({ connectionString: postgres.url });
await database.connect();
const client = new Redis(addressOf(redis.url));
const processes = [];
const row = (values, digits, unit) => values.map((each) => `${each.toFixed(digits)} ${unit}`).join(' | ');
process.once('exit', () => {
  for (const { child } of processes) child.kill('SIGTERM');
});
process.once('SIGTERM', () => process.exit(1));

try {
  console.log(`${availableParallelism()} processors, load ${loadavg()[0].toFixed(1)}, rounds of ${seconds} s\n`);
  const first = await start('api');
  const keys = [];
  for (let index = 0; index < CALLERS; index++) keys.push(await mintKey(first, index));
  if (isWanted('sizes')) await sizes(keys[0]);
  if (isWanted('api')) await apiCurve(first, keys);
  if (isWanted('worker')) await workerCurve(first);
} finally {
  await Promise.all(processes.map((each) => stop(each)));
  client.disconnect();
  await database.end();
  await redis.stop();
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function sizes(account) {
  const limits = new LimitScript({ fast: () => client });
  console.log('| organizations | PostgreSQL, each | Redis, each that calls within a day | a million of them |');
  console.log('|---|---|---|---|');
  let known;
  for (const [from, to] of [
    [1, organizations / 10],
    [organizations / 10, organizations],
  ]) {
    const rows = await bytesOfOrganizations(database, { account, from, to });
    const memory = await bytesOfLimits(client, limits, { from, to });
    known = rows.rows;
    console.log(
      `| ${to.toLocaleString('en')} | ${(rows.bytes / 1_024).toFixed(1)} KiB | ${memory.toFixed(0)} bytes | ` +
        `${(rows.bytes / 1_024).toFixed(1)} GB on disk, ${((memory * 1e6) / 2 ** 20).toFixed(0)} MiB in Redis |`,
    );
  }
  const before = await memoryOf(client);
  await bytesOfLimits(client, limits, { from: organizations, to: MANY });
  console.log(
    `\nWith ${MANY.toLocaleString('en')} callers in one day, Redis has ` +
      `${(((await memoryOf(client)) - before) / 2 ** 20).toFixed(0)} MiB more than with ` +
      `${organizations.toLocaleString('en')}.`,
  );
  const list = Object.entries(known).map(([table, count]) => `\`${table}\` ${count}`);
  console.log(`\nRows of an organization with one person and one key: ${list.join(', ')}.\n`);
  console.log('| table | row | its part of indexes | a million a day, for a month |');
  console.log('|---|---|---|---|');
  for (const { table, row, indexes } of await bytesOfRows(database, ROWS))
    console.log(
      `| \`${table}\` | ${row} bytes | ${indexes} bytes | ${(((row + indexes) * 30e6) / 2 ** 30).toFixed(1)} GiB |`,
    );
  console.log('');
}

async function apiCurve(first, keys) {
  console.log('| `api` processes | requests/s | processor time a request: `api` | PostgreSQL | Redis | all | p99 |');
  console.log('|---|---|---|---|---|---|---|');
  const all = [first];
  for (;;) {
    const requests = keys.map(({ secret }) => ({ headers: { authorization: `Bearer ${secret}` } }));
    const round = (length) =>
      Promise.all(
        all.map(({ url }) =>
          autocannon({
            url: `${url}/api/v1/projects`,
            requests,
            connections: Math.ceil(CONNECTIONS / all.length),
            ...length,
          }),
        ),
      );
    // A new process first has to compile what it runs.
    await round({ amount: WARM_UP_REQUESTS });
    const servers = { api: all.map(({ child }) => child.pid), postgres: pidsOf('postgres'), redis: pidsOf('redis') };
    const taken = () => [...Object.values(servers).map((pids) => cpuOf(pids)), busySeconds()];
    const before = taken();
    const results = await round({ duration: seconds });
    if (results.some(({ non2xx, errors }) => non2xx + errors > 0)) throw new Error('A call failed.');
    const total = results.reduce((sum, { requests: { total: count } }) => sum + count, 0);
    const micros = taken().map((each, index) => ((each - before[index]) / total) * 1e6);
    console.log(
      `| ${all.length} | ${(total / seconds).toFixed(0)} | ${row(micros, 0, 'µs')} | ` +
        `${Math.max(...results.map(({ latency }) => latency.p99))} ms |`,
    );
    if (all.length === MOST_PROCESSES) break;
    all.push(await start('api'));
  }
  await connections();
}

/** How many connections the running processes have, which is what their number is bounded by. */
async function connections() {
  const { rows } = await database.query(
    "SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = 'service-platform'",
  );
  const clients = (await client.client('LIST')).trim().split('\n').length - 1;
  console.log(
    `\n${processes.length} processes under this load have ${rows[0].count} connections to PostgreSQL and ` +
      `${clients} to Redis.\n`,
  );
}

async function workerCurve(api) {
  console.log('| `worker` processes | runs/s | processor time a run: `worker` | PostgreSQL | Redis | all |');
  console.log('|---|---|---|---|---|---|');
  const workers = [];
  while (workers.length < MOST_PROCESSES) {
    workers.push(await start('worker'));
    await untilRun(api);
    await runs(api, 5);
    const taken = () => [
      ...[
        workers.flatMap(({ child }) => [child.pid, ...descendantsOf(child.pid)]),
        pidsOf('postgres'),
        pidsOf('redis'),
      ].map((pids) => cpuOf(pids, { andOfEnded: true })),
      busySeconds(),
    ];
    const before = taken();
    const count = await runs(api, seconds);
    const millis = taken().map((each, index) => ((each - before[index]) / count) * 1e3);
    console.log(`| ${workers.length} | ${(count / seconds).toFixed(1)} | ${row(millis, 1, 'ms')} |`);
  }
}

/** A worker first finds out whether and how it can isolate programs. */
async function untilRun(api) {
  const until = performance.now() + STARTS_WITHIN_MS;
  for (;;) {
    try {
      return await runs(api, 1);
    } catch (error) {
      if (performance.now() > until) throw error;
    }
  }
}

/** Runs programs of callers with addresses of their own for a time, and returns how many were run. */
async function runs({ url }, duration) {
  const until = performance.now() + duration * 1_000;
  let count = 0;
  let refusal;
  await Promise.all(
    Array.from({ length: 8 }, async (_, caller) => {
      for (let turn = 0; performance.now() < until; turn++) {
        const answer = await fetch(`${url}/api/v1/sandbox/try`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-forwarded-for': `198.18.${caller}.${turn % 250}` },
          body: JSON.stringify({ language: 'javascript', code: HELLO.javascript }),
        });
        const { data, error } = await answer.json();
        if (data?.stdout?.trim() === 'hello') {
          count++;
          continue;
        }
        refusal = error ?? data;
        await sleep(200);
      }
    }),
  );
  if (count === 0) throw new Error(`No program was run: ${JSON.stringify(refusal)}`);
  return count;
}

/**
 * What all processors of the machine have worked: with the callers, and with what the kernel does for a program that is
 * isolated, most of which belongs to none of our processes.
 */
function busySeconds() {
  const [user, nice, system, , , irq, softirq] = readFileSync('/proc/stat', 'utf8')
    .split(/\s+/)
    .slice(1, 8)
    .map(Number);
  return (user + nice + system + irq + softirq) / CLOCK_TICKS_PER_SECOND;
}

/** Starts a process of a role on a directory of its own, as another machine would. */
async function start(role) {
  const directory = join(dataDir, `${role}-${processes.length}`);
  mkdirSync(directory, { mode: 0o711 });
  const port = await freePort();
  const file = join(directory, 'log');
  const output = openSync(file, 'w');
  const child = spawn(process.execPath, [join(ROOT, 'dist/src/main.js'), role], {
    cwd: ROOT,
    stdio: ['ignore', output, output],
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      API_KEY_PEPPER: 'a pepper that lasts for this measurement only',
      SECRETS_KEY: 'a key that lasts for this measurement only',
      DEFAULT_PLAN: 'enterprise',
      TRUST_PROXY: '1',
      PORT: String(port),
      DATA_DIR: directory,
      LOG_LEVEL: 'warn',
      DRAIN_DELAY_MS: '0',
      REDIS_TIMEOUT_MS: '5000',
      ANONYMOUS_CALLS_PER_SECOND: '100000',
      ANONYMOUS_CALLS_PER_DAY: '10000000',
      SANDBOX_EXECUTIONS_PER_DAY: '10000000',
    },
  });
  const each = { child, role, url: `http://127.0.0.1:${port}` };
  processes.push(each);
  const until = performance.now() + STARTS_WITHIN_MS;
  while (!(await isReady(each))) {
    if (child.exitCode !== null || performance.now() > until)
      throw new Error(`${role} did not start: ${readFileSync(file, 'utf8').slice(-2_000)}`);
    await sleep(100);
  }
  return each;
}

async function isReady({ url }) {
  return fetch(`${url}/ready`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function stop({ child }) {
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** Creates an account with a key. An address may sign up only a few times an hour. */
async function mintKey({ url }, index) {
  const post = async (path, body, headers = {}) => {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': `198.19.0.${index}`, ...headers },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return (await answer.json()).data;
  };
  const name = `caller${String.fromCharCode(97 + index)}x`;
  const { session_token, user, organization } = await post('/api/v1/auth/sign-up', {
    username: name,
    email: `${name}@example.org`,
    password: 'words of no importance',
  });
  const { id, secret } = await post('/api/v1/keys', { name: 'bench' }, { authorization: `Bearer ${session_token}` });
  return { name, secret, ids: [user.id, organization.id, id] };
}

/** The embedded servers are children of this process. */
function pidsOf(program) {
  return descendantsOf(process.pid).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(program);
    } catch {
      return false;
    }
  });
}
