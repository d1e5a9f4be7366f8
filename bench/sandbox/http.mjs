/**
 * The way of a caller: over HTTP through the limits, the queue and a worker, and back; against the service that the
 * script starts for it, on a free port with a data directory of its own, or against one that already runs.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { freePort } from '../service.mjs';
import { millisecondsOf, printTable, quantile, residentMebibytes } from './figures.mjs';
import { HELLO } from './hello.mjs';

const MAIN = fileURLToPath(new URL('../../dist/src/main.js', import.meta.url));
/** An address may hold two runs at a time. */
const AT_A_TIME = 2;
const READY_WITHIN_MS = 60_000;

async function startService() {
  const dataDir = mkdtempSync(join(tmpdir(), 'bench-sandbox-'));
  const port = await freePort();
  const child = spawn(process.execPath, [MAIN, 'all'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      PORT: String(port),
      HOST: '127.0.0.1',
      LOG_LEVEL: 'error',
      DRAIN_DELAY_MS: '0',
      SANDBOX_EXECUTIONS_PER_DAY: '10000000',
      ANONYMOUS_CALLS_PER_DAY: '10000000',
      ANONYMOUS_CALLS_PER_SECOND: '100000',
    },
  });
  const stop = async () => {
    const ended = new Promise((resolve) => {
      child.once('exit', resolve);
    });
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGINT');
      await ended;
    }
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { url: `http://127.0.0.1:${port}`, pid: child.pid, stop };
}

async function tryIt(url, language) {
  const response = await fetch(`${url}/api/v1/sandbox/try`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ language, code: HELLO[language] }),
  });
  const { data, error } = await response.json();
  if (data?.stdout?.trim() !== 'hello')
    throw new Error(`not a run: ${response.status} ${JSON.stringify(error ?? data)}`);
  return data;
}

async function untilReady(url) {
  const until = performance.now() + READY_WITHIN_MS;
  for (;;) {
    try {
      await tryIt(url, 'python');
      return;
    } catch (error) {
      if (performance.now() > until) throw error;
      await sleep(100);
    }
  }
}

async function measure(url, language, { turns, seconds }) {
  const latencies = [];
  const runs = [];
  for (let turn = 0; turn < turns; turn++) {
    latencies.push(
      await millisecondsOf(async () => {
        runs.push((await tryIt(url, language)).duration_ms);
      }),
    );
    await sleep(70);
  }
  const startedAt = performance.now();
  let done = 0;
  await Promise.all(
    Array.from({ length: AT_A_TIME }, async () => {
      while (performance.now() < startedAt + seconds * 1000) {
        await tryIt(url, language);
        done += 1;
      }
    }),
  );
  const rate = (done * 1000) / (performance.now() - startedAt);
  return {
    language,
    'p50 ms': quantile(latencies, 0.5),
    'p99 ms': quantile(latencies, 0.99),
    'of it the run, p50 ms': quantile(runs, 0.5),
    'runs/s': rate,
  };
}

export async function benchHttp({ url, turns = 60, seconds = 4 } = {}) {
  const service = url === undefined ? await startService() : { url, pid: undefined, stop: () => undefined };
  try {
    await untilReady(service.url);
    for (const language of Object.keys(HELLO)) await tryIt(service.url, language);
    await sleep(1_000);
    const idle = service.pid === undefined ? undefined : residentMebibytes(service.pid);

    const rows = [];
    for (const language of Object.keys(HELLO)) {
      rows.push(await measure(service.url, language, { turns, seconds }));
      await sleep(500);
    }
    printTable(`Over HTTP, ${AT_A_TIME} at a time`, rows);
    if (idle !== undefined)
      console.log(`The service's resident memory: ${idle} MiB before, ${residentMebibytes(service.pid)} MiB after.`);
    return rows;
  } finally {
    await service.stop();
  }
}
