/**
 * `npm run bench:startup [-- rounds]`: how long a start takes, and what the process then weighs.
 *
 * Starts the service by `scripts/start.mjs` as `npm start` does, in role `all`, on a data directory of its own: once
 * from nothing, then `rounds` times (5) on the data that is there. The time goes from the start of the process to the
 * first 200 of `/ready`, which comes when all processes are up. Memory is read ten seconds later, as Pss, so that what
 * processes share counts once: of our own (supervisor, api, edge, worker, databases, sandbox host), and of PostgreSQL,
 * Redis and the sandboxes that are kept warm beside them.
 */
import '../scripts/on-pinned-node.mjs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from './service.mjs';

const START = fileURLToPath(new URL('../scripts/start.mjs', import.meta.url));
const SETTLE_MS = 10_000;
const MIB = 1024;

const rounds = Number(process.argv[2] ?? 5);
const dataDir = mkdtempSync(join(tmpdir(), 'bench-startup-'));
chmodSync(dataDir, 0o711);

try {
  await build();
  const cold = await measure();
  const warm = [];
  for (let round = 0; round < rounds; round += 1) warm.push(await measure());

  console.log(
    `Node ${process.versions.node}, ${availableParallelism()} processors; medians of ${rounds} warm starts (range)\n`,
  );
  console.log('| What | Figure |\n|---|---|');
  console.log(`| Cold start to ready, data directory empty | ${seconds(cold.readyMs)} |`);
  console.log(`| Warm start to ready | ${seconds(...warm.map(({ readyMs }) => readyMs))} |`);
  console.log(`| Memory of our processes | ${mebibytes(...warm.map(({ ours }) => sumOf(ours)))} |`);
  for (const name of Object.keys(warm[0].ours))
    console.log(`| … of these ${name} | ${mebibytes(...warm.map(({ ours }) => ours[name]))} |`);
  console.log(
    `| PostgreSQL, Redis and warm sandboxes beside it | ${mebibytes(...warm.map(({ restKib }) => restKib))} |`,
  );
  console.log(`| SIGTERM to gone, DRAIN_DELAY_MS=0 | ${seconds(...warm.map(({ stopMs }) => stopMs))} |`);
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}

/** A start that fails at once builds first: no build is part of the figures. */
async function build() {
  const child = spawn(process.execPath, [START, 'all'], { env: { ...settings(), PORT: 'none' }, stdio: 'ignore' });
  await once(child, 'exit');
}

async function measure() {
  const port = await freePort();
  const startedAt = performance.now();
  const child = spawn(process.execPath, [START, 'all'], {
    env: { ...settings(), PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  while (!(await isReady(port))) {
    if (child.exitCode !== null) throw new Error(said);
    await sleep(5);
  }
  const readyMs = performance.now() - startedAt;

  await sleep(SETTLE_MS);
  const ours = {};
  let restKib = 0;
  for (const pid of [child.pid, ...descendantsOf(child.pid)]) {
    const name = pid === child.pid ? 'supervisor' : nameOf(pid);
    const kib = kibOf(pid, 'smaps_rollup', 'Pss');
    if (name === undefined) restKib += kib;
    else ours[name] = kib;
  }
  const stoppedAt = performance.now();
  child.kill('SIGTERM');
  await once(child, 'exit');
  return { readyMs, ours, restKib, stopMs: performance.now() - stoppedAt };
}

function sumOf(kib) {
  return Object.values(kib).reduce((sum, each) => sum + each, 0);
}

/** Returns the role of one of our processes, or undefined for other processes. */
function nameOf(pid) {
  const command = textOf(`/proc/${pid}/cmdline`);
  return command.includes('sandbox-host')
    ? 'sandbox host'
    : /\0(api|edge|worker|databases)\0--supervised/.exec(command)?.[1];
}

function settings() {
  const { DATABASE_URL: _database, REDIS_URL: _redis, ...env } = process.env;
  return {
    ...env,
    DATABASE_URL: '',
    REDIS_URL: '',
    ROLE: 'all',
    HOST: '127.0.0.1',
    DATA_DIR: dataDir,
    DRAIN_DELAY_MS: '0',
    // Another service may use the port that is the default.
    DATABASES_PORT: '0',
  };
}

async function isReady(port) {
  return fetch(`http://127.0.0.1:${port}/ready`).then(
    async (answer) => {
      await answer.arrayBuffer();
      return answer.ok;
    },
    () => false,
  );
}

/** 0 for a process that has just ended, or that is not ours to look into. */
function kibOf(pid, file, field) {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(textOf(`/proc/${pid}/${file}`))?.[1] ?? 0);
}

/** Warm sandboxes come and go. */
function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function descendantsOf(pid) {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), parentOf(name)]),
  );
  const family = [pid];
  for (const member of family)
    family.push(...[...parents].filter(([, parent]) => parent === member).map(([child]) => child));
  return family.slice(1);
}

function parentOf(pid) {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}

function seconds(...values) {
  return summary(
    values.map((value) => value / 1000),
    (value) => `${value.toFixed(2)} s`,
  );
}

function mebibytes(...values) {
  return summary(
    values.map((value) => value / MIB),
    (value) => `${value.toFixed(0)} MiB`,
  );
}

function summary(values, show) {
  const sorted = values.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  return sorted.length === 1 ? show(median) : `${show(median)} (${show(sorted[0])} – ${show(sorted.at(-1))})`;
}
