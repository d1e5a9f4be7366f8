/**
 * The full path of a call with an API key (ids, security headers, key and rights, burst and daily limit in Redis,
 * budget headers, log line, metrics) against two kinds of peers that answer the same JSON to the same requests:
 * `stock`, which does the same work with common packages, and a bare Nest, a bare Express and a bare node:http, which
 * do nothing else. The call is `GET /api/v1/me`.
 *
 * All run at the same time and take turns in the same run, so that a machine that slows down slows all of them. The
 * figure is the processor time of the server process for one request: it does not depend on how fast the caller is.
 *
 *   npm run bench:http -- [rounds] [seconds]
 */
import '../../scripts/on-pinned-node.mjs';
import { spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const require = createRequire(import.meta.url);
const { startEmbeddedPostgres } = require(join(ROOT, 'dist/src/roles/embedded/embedded-postgres.js'));
const { startEmbeddedRedis } = require(join(ROOT, 'dist/src/roles/embedded/embedded-redis.js'));
const { migrate } = require(join(ROOT, 'dist/src/roles/migrate.js'));

const [rounds = 7, seconds = 3] = process.argv.slice(2).map(Number);
const TICKS_PER_SECOND = 100;
const CONNECTIONS = 32;
const WARM_UP_SECONDS = 3;
/** The burst limit of the largest plan is 1,000 calls a second; together they may make as many as can be answered. */
const ORGANIZATIONS = 40;

const dataDir = mkdtempSync(join(tmpdir(), 'bench-http-'));
const log = () => undefined;
const postgres = await startEmbeddedPostgres({ dataDir, durable: false, log });
const redis = await startEmbeddedRedis({ dataDir, durable: true, log });
await migrate(postgres.url);

const servers = [];
try {
  const full = await start('full', [join(ROOT, 'dist/src/main.js'), 'api'], {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    API_KEY_PEPPER: 'a pepper that lasts for this measurement only',
    SECRETS_KEY: 'a key that lasts for this measurement only',
    DEFAULT_PLAN: 'enterprise',
    TRUST_PROXY: '1',
    PORT: '0',
    // A Redis that is late must not let calls be counted in the process: both peers would do less than they claim.
    REDIS_TIMEOUT_MS: '5000',
  });
  const keys = [];
  for (let index = 0; index < ORGANIZATIONS; index++) keys.push(await mintKey(full, index));
  const requests = keys.map((key) => ({ headers: { authorization: `Bearer ${key}` } }));
  const answer = await (await fetch(full.url, requests[0])).text();
  for (const mode of ['http', 'express', 'nest'])
    servers.push(await start(mode, [join(ROOT, 'bench/http/baseline.mjs'), mode], { ANSWER: answer }));
  servers.push(
    await start('stock', [join(ROOT, 'bench/http/stock.mjs')], {
      ANSWER: answer,
      KEYS: JSON.stringify(keys),
      REDIS_URL: redis.url,
    }),
    full,
  );

  for (const server of servers) await load(server, requests, WARM_UP_SECONDS);
  for (let round = 0; round < rounds; round++) {
    for (const server of round % 2 === 0 ? servers : [...servers].reverse())
      server.rounds.push(await load(server, requests, seconds));
  }
  report();
} finally {
  for (const server of servers) server.child.kill('SIGTERM');
  await redis.stop();
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

/** One core for the server; the caller and Redis share the other, as far as the kernel sees fit. */
async function start(name, args, settings) {
  const logFile = openSync(join(dataDir, `${name}.log`), 'w');
  const child = spawn('taskset', ['-c', '0', process.execPath, ...args], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', logFile, 'pipe'],
  });
  const url = await new Promise((resolve, reject) => {
    let text = '';
    child.stderr.on('data', (chunk) => {
      text += chunk;
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(text);
      if (found) resolve(found[0]);
    });
    child.once('exit', () => reject(new Error(`${name} ended: ${text}`)));
  });
  return { name, child, url: `${url}/api/v1/me`, rounds: [] };
}

/** Creates a key of a new account. An address may sign up only a few times an hour. */
async function mintKey({ url }, index) {
  const post = async (path, body, headers = {}) => {
    const answer = await fetch(new URL(path, url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': `198.18.0.${index}`, ...headers },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return (await answer.json()).data;
  };
  const { session_token } = await post('/api/v1/auth/sign-up', {
    username: `bench${index}`,
    email: `bench${index}@example.org`,
    password: 'words of no importance',
  });
  return (await post('/api/v1/keys', { name: 'bench' }, { authorization: `Bearer ${session_token}` })).secret;
}

async function load({ child, url, name }, requests, duration) {
  const before = cpuSeconds(child.pid);
  const result = await autocannon({ url, requests, connections: CONNECTIONS, duration });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${name}: ${result.non2xx} answers other than 2xx, ${result.errors} errors`);
  return {
    microseconds: ((cpuSeconds(child.pid) - before) / result.requests.total) * 1e6,
    perSecond: result.requests.total / result.duration,
    p99: result.latency.p99,
  };
}

function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

function report() {
  const full = servers.at(-1);
  console.log(`${rounds} rounds of ${seconds} s, ${CONNECTIONS} connections; medians (min–max)\n`);
  console.log('| server | processor time a request | requests/s | p99 | full path is |');
  console.log('|---|---|---|---|---|');
  for (const server of servers) {
    const times = server.rounds.map(({ microseconds }) => microseconds);
    const ratios = server.rounds.map(({ microseconds }, round) => microseconds / full.rounds[round].microseconds);
    console.log(
      `| ${server.name} | ${spread(times, 1)} µs | ${spread(
        server.rounds.map(({ perSecond }) => perSecond),
        0,
      )} | ${median(server.rounds.map(({ p99 }) => p99)).toFixed(1)} ms | ${spread(ratios, 2)} × as fast |`,
    );
  }
}

function spread(values, digits) {
  return (
    `${median(values).toFixed(digits)} ` +
    `(${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)})`
  );
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
