/**
 * The sandbox layer alone: how long from the code to its result, and how many a second, in each language; beside it,
 * in turns in the same run, a cold `bwrap` and interpreter without our filter, limits and watch.
 *
 *   npm run bench:sandbox -- layer
 */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

import { millisecondsOf, printTable, quantile } from './figures.mjs';
import { HELLO } from './hello.mjs';

const require = createRequire(import.meta.url);
const { HostedRuntime } = require('../../dist/src/modules/sandbox/runtime/host/hosted-runtime.js');

const LIMITS = { timeoutMs: 30_000, memoryBytes: 256 * 1024 * 1024, outputBytes: 1024 * 1024 };
const NODE = require.resolve(`node-linux-${process.arch}/package.json`).replace('package.json', 'bin/node');

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

function runCold(language) {
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

async function runOurs(runtime, language) {
  const { stdout } = await runtime.run({ id: 'exe_bench', language, code: HELLO[language], stdin: '', limits: LIMITS });
  return stdout;
}

async function requireHello(output) {
  if ((await output).trim() !== 'hello') throw new Error(`not a run: ${JSON.stringify(await output)}`);
}

/** One at a time, in turns, so that whatever else the machine does strikes both alike. */
async function measureLatency(runtime, language, turns) {
  const ours = [];
  const cold = [];
  for (let turn = 0; turn < turns; turn++) {
    ours.push(await millisecondsOf(() => requireHello(runOurs(runtime, language))));
    await sleep(70);
    cold.push(await millisecondsOf(() => requireHello(runCold(language))));
    await sleep(30);
  }
  return { ours, cold };
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

/** A second of one, a second of the other; the medians, because another program may have had one of the seconds. */
async function measureRates(runtime, language, seconds) {
  const ours = [];
  const cold = [];
  for (let second = 0; second < seconds; second++) {
    cold.push(await measureRate(() => runCold(language), 1));
    // Begins with full pools, as after a quiet moment, so that it must last longer than they do.
    await sleep(200);
    ours.push(await measureRate(() => runOurs(runtime, language), 2));
    await sleep(200);
  }
  return { rate: quantile(ours, 0.5), coldRate: quantile(cold, 0.5) };
}

export async function benchLayer({ turns = 60, seconds = 4, cgroups = 'auto' } = {}) {
  const runtime = new HostedRuntime({
    isolation: { cgroups, copiesDirectory: '/var/lib/service-platform/sandbox' },
    runtime: { concurrency: availableParallelism(), limits: LIMITS, forkServer: 'auto' },
  });
  try {
    const readiness = await runtime.probe();
    if (!readiness.available) throw new Error(`The sandbox is not available: ${readiness.missing.join('; ')}`);
    await sleep(500);

    const rows = [];
    for (const language of Object.keys(HELLO)) {
      const { ours, cold } = await measureLatency(runtime, language, turns);
      const { rate, coldRate } = await measureRates(runtime, language, seconds);
      rows.push({
        language,
        'p50 ms': quantile(ours, 0.5),
        'p99 ms': quantile(ours, 0.99),
        'runs/s': rate,
        'cold p50 ms': quantile(cold, 0.5),
        'cold p99 ms': quantile(cold, 0.99),
        'cold runs/s': coldRate,
        'p50 ratio': quantile(ours, 0.5) / quantile(cold, 0.5),
        'rate ratio': rate / coldRate,
      });
    }
    printTable(`The layer, ${readiness.mode}, ${availableParallelism()} at a time`, rows);
    return rows;
  } finally {
    await runtime.close();
  }
}
