/**
 * `npm run bench:ai [-- rounds]`: what the gateway adds to a call of a model, and how much it carries.
 *
 * The model is a process that answers at once. Each round calls it directly, through a proxy of undici that does
 * nothing else, and through the service, which authenticates, counts against the limits, holds the price, settles, and
 * records the generation. Figures are medians of the rounds, and ratios compare what was measured in the same round.
 */
import '../../scripts/on-pinned-node.mjs';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuOf, descendantsOf, mebibytesOf, median, quantile, startService } from '../service.mjs';

const [rounds = 5] = process.argv.slice(2).map(Number);
/** An organization of the largest plan has 256 calls at once. */
const ORGANIZATIONS = 8;
const STREAMS = 1_000;
const MODEL = 'small';
const MESSAGES = [{ role: 'user', content: 'Say hello, and no more than that. '.repeat(5) }];
const KINDS = ['direct', 'proxy', 'service'];

const children = [];
const start = async (file, ...args) => {
  const child = fork(new URL(file, import.meta.url), args);
  children.push(child);
  const [port] = await once(child, 'message');
  return { pid: child.pid, port };
};

const upstream = await start('upstream.mjs');
const base = `http://127.0.0.1:${upstream.port}`;
const proxy = await start('proxy.mjs', base);
const models = join(tmpdir(), `bench-models-${process.pid}.json`);
writeFileSync(models, process.env.BENCH_MODELS ?? modelsFile());
const service = await startService({ settings: { MODEL_ROUTER_URL: `${base}/v1`, MODELS_FILE: models } });
const client = fork(new URL('client.mjs', import.meta.url));
children.push(client);

try {
  const keys = await keysOf(ORGANIZATIONS);
  const urls = {
    direct: `${base}/v1/chat/completions`,
    proxy: `http://127.0.0.1:${proxy.port}/v1/chat/completions`,
    service: `${service.url}/api/v1/ai/chat/completions`,
  };
  await untilModelIsOffered();
  const load = (kind, options) => send({ url: urls[kind], keys: kind === 'service' ? keys : [''], ...options });
  const body = { model: MODEL, messages: MESSAGES, max_tokens: 100 };

  console.log(
    `Node ${process.versions.node}, ${availableParallelism()} processors, ${rounds} rounds, a load of ` +
      `${(loadavg()[0] / availableParallelism()).toFixed(1)} each before\n`,
  );
  for (const kind of KINDS) await load(kind, { body, concurrency: 8, calls: 400 });

  await compareFirstBytes(load, { ...body, stream: true });
  await compareThroughput(load, body);
  await holdStreams(load, { ...body, stream: true, frames: 100, every_ms: 50 });
} finally {
  await service.stop();
  for (const child of children) child.kill();
}

async function compareFirstBytes(load, body) {
  const times = Object.fromEntries(KINDS.map((kind) => [kind, []]));
  for (let round = 0; round < rounds; round++)
    for (const kind of KINDS) times[kind].push((await load(kind, { body, concurrency: 1, calls: 200 })).firstBytes);
  console.log(
    '| First byte of a stream, one call at a time | p50 | p99 | Added to direct, p50 and p99 |\n|---|---|---|---|',
  );
  const at = (kind, share) => median(times[kind].map((each) => quantile(each, share)));
  for (const kind of KINDS) {
    const [p50, p99] = [at(kind, 0.5), at(kind, 0.99)];
    const added = [p50 - at('direct', 0.5), p99 - at('direct', 0.99)].map((ms) => ms.toFixed(2)).join(' and ');
    console.log(
      `| ${kind} | ${p50.toFixed(2)} ms | ${p99.toFixed(2)} ms | ${kind === 'direct' ? '' : `${added} ms`} |`,
    );
  }
}

async function compareThroughput(load, body) {
  const pids = { proxy: [proxy.pid], service: [service.pid, ...descendantsOf(service.pid)] };
  const seen = { proxy: [], service: [] };
  for (let round = 0; round < rounds; round++) {
    for (const kind of ['proxy', 'service']) {
      const before = cpuOf(pids[kind]);
      const { perSecond, firstBytes, failures } = await load(kind, { body, concurrency: 64, calls: 3_000 });
      // Work that has been paid for is written in batches, a moment later.
      await sleep(500);
      const perCpuSecond = firstBytes.length / (cpuOf(pids[kind]) - before);
      seen[kind].push({ perSecond, perCpuSecond, failures });
    }
  }
  console.log(
    '\n| Whole answers, 64 at once | Calls a second | Calls for a second of processor time | Refused |\n' +
      '|---|---|---|---|',
  );
  for (const [kind, all] of Object.entries(seen)) {
    const [perSecond, perCpu] = ['perSecond', 'perCpuSecond'].map((name) => median(all.map((each) => each[name])));
    const failures = JSON.stringify(Object.assign({}, ...all.map((each) => each.failures)));
    console.log(`| ${kind} | ${Math.round(perSecond)} | ${Math.round(perCpu)} | ${failures} |`);
  }
  const ratios = seen.service.map(({ perCpuSecond }, round) => perCpuSecond / seen.proxy[round].perCpuSecond);
  console.log(`\nCalls for a second of processor time ÷ the proxy: ${median(ratios).toFixed(3)}`);
}

async function holdStreams(load, body) {
  const api = descendantsOf(service.pid);
  const memory = () => api.reduce((sum, pid) => sum + mebibytesOf(pid, 'smaps_rollup', 'Pss'), 0);
  const before = memory();
  const running = load('service', { body, concurrency: STREAMS, calls: STREAMS });
  let highest = before;
  let lag = 0;
  let isOver = false;
  const watch = (async () => {
    while (!isOver) {
      await sleep(1_000);
      highest = Math.max(highest, memory());
      lag = Math.max(lag, await eventLoopLag());
    }
  })();
  const { firstBytes, failures } = await running;
  isOver = true;
  await watch;
  console.log(
    `\n${STREAMS} streams of 20 frames a second at once: ${firstBytes.length} whole, others ` +
      `${JSON.stringify(failures)}; event loop p99 ${(lag * 1_000).toFixed(0)} ms, ` +
      `${(((highest - before) * 1_024) / STREAMS).toFixed(0)} KiB for each`,
  );
}

async function eventLoopLag() {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  const values = [...text.matchAll(/^nodejs_eventloop_lag_p99_seconds(?:\{[^}]*\})? ([\d.e-]+)$/gm)];
  return Math.max(0, ...values.map(([, value]) => Number(value)));
}

async function keysOf(count) {
  const keys = [];
  for (let number = 0; number < count; number++) {
    const slug = `bench-${number}`;
    await service.call('POST', '/orgs', { name: slug, slug });
    const scopes = ['ai:invoke'];
    keys.push((await service.call('POST', '/keys', { name: slug, kind: 'org_bound', org_id: slug, scopes })).secret);
  }
  return keys;
}

async function untilModelIsOffered() {
  for (let turn = 0; turn < 300; turn++) {
    const { data } = await (await fetch(`${service.url}/api/v1/ai/models`)).json();
    if (data?.some(({ id }) => id === MODEL)) return;
    await sleep(100);
  }
  throw new Error('The model is not offered.');
}

function send(load) {
  client.send(load);
  return once(client, 'message').then(([result]) => {
    if (result.error !== undefined) throw new Error(result.error);
    return result;
  });
}

function modelsFile() {
  return JSON.stringify({ models: [{ id: MODEL, router: 'default', prices: { input: '0.10', output: '0.40' } }] });
}
