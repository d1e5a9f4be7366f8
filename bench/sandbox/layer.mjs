/**
 * The sandbox layer alone: how long from the code to its result, and how many a second, in each language and with each
 * way to start it. Beside them, in turns in the same run: a cold `bwrap` and interpreter without our filter, limits and
 * watch, and `isolate` where it is installed.
 *
 *   npm run bench:sandbox -- layer
 */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

import { millisecondsOf, printTable, quantile } from './figures.mjs';
import { HELLO } from './hello.mjs';
import { hasIsolate, runInIsolate } from './isolate.mjs';

const require = createRequire(import.meta.url);
const { HostedRuntime } = require('../../dist/src/modules/sandbox/runtime/host/hosted-runtime.js');

const LIMITS = { timeoutMs: 30_000, memoryBytes: 256 * 1024 * 1024, outputBytes: 1024 * 1024 };
export const NODE = require.resolve(`node-linux-${process.arch}/package.json`).replace('package.json', 'bin/node');

/** Node 24 strips types by itself. */
const COLD = {
  javascript: [NODE, '/program', '-e', HELLO.javascript],
  typescript: [
    NODE,
    '/program',
    '--disable-warning=ExperimentalWarning',
    '--input-type=commonjs-typescript',
    '-e',
    HELLO.typescript,
  ],
  python: ['/usr/bin/python3', '/program', '-IS', '-c', HELLO.python],
};

/** What a program needs to start, and nothing more: the least that isolates it. */
function coldArguments([program, inside, ...rest]) {
  return [
    '--unshare-all',
    '--ro-bind',
    '/usr',
    '/usr',
    '--symlink',
    'usr/lib',
    '/lib',
    '--symlink',
    'usr/lib64',
    '/lib64',
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--tmpfs',
    '/tmp',
    '--ro-bind',
    program,
    inside,
    '--die-with-parent',
    '--new-session',
    '--',
    inside,
    ...rest,
  ];
}

export function runCold(language) {
  return new Promise((resolve, reject) => {
    const child = spawn('bwrap', coldArguments(COLD[language]), { env: {}, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.on('error', reject);
    child.on('close', () => {
      resolve(output);
    });
  });
}

function runIsolate(language) {
  const [program, , ...rest] = COLD[language];
  return runInIsolate([program, language === 'python' ? program : '/runtime/node', ...rest]);
}

async function runOurs(runtime, language) {
  const { stdout } = await runtime.run({ id: 'exe_bench', language, code: HELLO[language], stdin: '', limits: LIMITS });
  return stdout;
}

export async function requireHello(output) {
  if ((await output).trim() !== 'hello') throw new Error(`not a run: ${JSON.stringify(await output)}`);
}

/** One at a time, in turns, so that whatever else the machine does strikes all alike. */
async function measureLatencies(ways, turns) {
  const latencies = ways.map(() => []);
  for (let turn = 0; turn < turns; turn++)
    for (const [index, { run }] of ways.entries()) {
      latencies[index].push(await millisecondsOf(() => requireHello(run())));
      await sleep(70);
    }
  return latencies;
}

/** Runs as many programs at a time as a worker does, without a pause. */
async function measureRate(run, seconds) {
  const startedAt = performance.now();
  const until = startedAt + seconds * 1000;
  let runs = 0;
  await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      while (performance.now() < until) {
        await requireHello(run());
        runs += 1;
      }
    }),
  );
  return (runs * 1000) / (performance.now() - startedAt);
}

/** Some seconds of each in turns; the medians, because another program may have had one of the seconds. */
async function measureRates(ways, rounds) {
  const rates = ways.map(() => []);
  for (let round = 0; round < rounds; round++)
    for (const [index, { run, seconds }] of ways.entries()) {
      rates[index].push(await measureRate(run, seconds));
      // The next one begins with full pools, as after a quiet moment.
      await sleep(200);
    }
  return rates.map((seen) => quantile(seen, 0.5));
}

export async function openRuntime({ cgroups, cpuWeight }, forkServer) {
  const runtime = new HostedRuntime({
    isolation: { cgroups, cpuWeight, copiesDirectory: '/var/lib/service-platform/sandbox' },
    runtime: { concurrency: availableParallelism(), limits: LIMITS, forkServer },
  });
  const readiness = await runtime.probe();
  if (!readiness.available) throw new Error(`The sandbox is not available: ${readiness.missing.join('; ')}`);
  return { runtime, mode: readiness.mode };
}

/** Each way to run a program of the language; the last one is what the others are compared with. */
function waysOf(language, forking, starting) {
  const isForked = forking.readings.some(({ languages, forks }) => forks && languages.includes(language));
  return [
    // Longer than the pools last.
    ...(isForked ? [{ way: 'fork server', seconds: 2, run: () => runOurs(forking, language) }] : []),
    { way: 'warm pool', seconds: 2, run: () => runOurs(starting, language) },
    ...(hasIsolate() ? [{ way: 'isolate', seconds: 1, run: () => runIsolate(language) }] : []),
    { way: 'cold bwrap', seconds: 1, run: () => runCold(language) },
  ];
}

export async function benchLayer({ turns = 60, seconds = 4, cgroups = 'auto', cpuWeight = 10 } = {}) {
  const isolation = { cgroups, cpuWeight };
  const { runtime: forking, mode } = await openRuntime(isolation, 'auto');
  const { runtime: starting } = await openRuntime(isolation, 'off');
  try {
    await sleep(500);
    const rows = [];
    for (const language of Object.keys(HELLO)) {
      const ways = waysOf(language, forking, starting);
      const latencies = await measureLatencies(ways, turns);
      const rates = await measureRates(ways, seconds);
      for (const [index, { way }] of ways.entries())
        rows.push({
          language,
          way,
          'p50 ms': quantile(latencies[index], 0.5),
          'p99 ms': quantile(latencies[index], 0.99),
          'runs/s': rates[index],
          'p50 ratio': quantile(latencies[index], 0.5) / quantile(latencies.at(-1), 0.5),
          'rate ratio': rates[index] / rates.at(-1),
        });
    }
    printTable(`The layer, ${mode}, ${availableParallelism()} at a time`, rows);
    return rows;
  } finally {
    await Promise.all([forking.close(), starting.close()]);
  }
}
