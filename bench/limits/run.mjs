/**
 * The two limits of a call, burst and daily budget, as the service takes them, beside rate-limiter-flexible taking the
 * same two (one RateLimiterRedis for each, together; a refusal by one does not give back what the other took, which
 * is what ours does besides). Both ask the same Redis, from one process, in turns of one run.
 *
 *   npm run bench:limits -- [rounds] [calls a round]
 */
import '../../scripts/on-pinned-node.mjs';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const require = createRequire(import.meta.url);
const { startEmbeddedRedis } = require(join(ROOT, 'dist/src/roles/embedded/embedded-redis.js'));
const { addressOf } = require(join(ROOT, 'dist/src/platform/redis/redis-address.js'));
const { LimitScript } = require(join(ROOT, 'dist/src/modules/limits/counting/limit-script.js'));

const [rounds = 9, calls = 30_000] = process.argv.slice(2).map(Number);
const ACCOUNTS = 500;
const PLENTY = 1_000_000_000;

const dataDir = mkdtempSync(join(tmpdir(), 'bench-limits-'));
const redis = await startEmbeddedRedis({ dataDir, durable: true, log: () => undefined });
const connect = (options) => new Redis({ ...addressOf(redis.url), ...options });
const ours = connect({});
const theirs = connect({ enableAutoPipelining: true });

const script = new LimitScript({ fast: () => ours });
const burst = new RateLimiterRedis({ storeClient: theirs, keyPrefix: 'rlf-burst', points: PLENTY, duration: 1 });
const daily = new RateLimiterRedis({ storeClient: theirs, keyPrefix: 'rlf-daily', points: PLENTY, duration: 86_400 });

const expiresAt = new Date(Math.ceil(Date.now() / 86_400_000) * 86_400_000);
const LIMITERS = {
  ours: (account) =>
    script.take({
      burst: { key: `limits:burst:${account}`, callsPerSecond: 1_000_000, size: 2_000_000 },
      counters: [{ key: `limits:calls:day:${account}`, limit: PLENTY }],
      stamps: [`auth:epoch:${account}`, `auth:epoch:usr_${account}`],
      expiresAt,
      cost: 1,
    }),
  'rate-limiter-flexible': (account) => Promise.all([burst.consume(account), daily.consume(account)]),
};

const results = [];
try {
  for (const concurrency of [1, 32, 256]) {
    for (const take of Object.values(LIMITERS)) await load(take, concurrency, calls / 10);
    const measured = Object.fromEntries(Object.keys(LIMITERS).map((name) => [name, []]));
    for (let round = 0; round < rounds; round++) {
      const names = Object.keys(LIMITERS);
      for (const name of round % 2 === 0 ? names : names.reverse())
        measured[name].push(await load(LIMITERS[name], concurrency, concurrency === 1 ? calls / 5 : calls));
    }
    results.push({ concurrency, measured });
  }
  report();
} finally {
  ours.disconnect();
  theirs.disconnect();
  await redis.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function load(take, concurrency, count) {
  const from = process.hrtime.bigint();
  const cpu = process.cpuUsage();
  let left = count;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (left-- > 0) await take(`org_${left % ACCOUNTS}`);
    }),
  );
  const { user, system } = process.cpuUsage(cpu);
  return {
    perSecond: count / (Number(process.hrtime.bigint() - from) / 1e9),
    cpuMicroseconds: (user + system) / count,
  };
}

function report() {
  console.log(`${rounds} rounds, ${calls} calls each; medians (min–max)\n`);
  console.log('| calls at once | limiter | calls/s | processor time a call | ours is |');
  console.log('|---|---|---|---|---|');
  for (const { concurrency, measured } of results) {
    for (const [name, loads] of Object.entries(measured)) {
      const ratios = loads.map(({ perSecond }, round) => measured.ours[round].perSecond / perSecond);
      console.log(
        `| ${concurrency} | ${name} | ${spread(
          loads.map(({ perSecond }) => perSecond),
          0,
        )} | ${spread(
          loads.map(({ cpuMicroseconds }) => cpuMicroseconds),
          1,
        )} µs | ${spread(ratios, 2)} × as fast |`,
      );
    }
  }
}

function spread(values, digits) {
  const sorted = [...values].sort((a, b) => a - b);
  const median = sorted[Math.floor(values.length / 2)];
  return `${median.toFixed(digits)} (${sorted[0].toFixed(digits)}–${sorted.at(-1).toFixed(digits)})`;
}
