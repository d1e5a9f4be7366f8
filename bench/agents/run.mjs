/**
 * `npm run bench:agents [-- schedules] [runs] [rounds]`: what the engine of agents adds to its models, and how much it
 * carries.
 *
 * The model is a process that answers at once. Steps are compared with a bare loop that calls it equally often and
 * stores nothing. Schedules fire beside the job schedulers of BullMQ on the same Redis, in turns in the same run.
 */
import '../../scripts/on-pinned-node.mjs';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue, Worker } from 'bullmq';
import pg from 'pg';
import { descendantsOf, median, quantile, ROOT, startService } from '../service.mjs';

const [schedules = 10_000, runs = 500, rounds = 3] = process.argv.slice(2).map(Number);
const STEPS = 10;
const SAMPLES = 20;
const CALLERS = 32;
const MODEL = 'small';

const require = createRequire(import.meta.url);
const built = (path) => require(join(ROOT, 'dist/src', path));
const { startEmbeddedPostgres } = built('roles/embedded/embedded-postgres.js');
const { startEmbeddedRedis } = built('roles/embedded/embedded-redis.js');
const { migrate } = built('roles/migrate.js');

const dataDir = mkdtempSync(join(tmpdir(), 'bench-agents-'));
const place = { dataDir, durable: true, log: () => undefined };
const marks = new Map();
const model = fork(new URL('model.mjs', import.meta.url));
const [modelPort] = await once(model, 'message');
model.on('message', ({ mark, at }) => marks.set(mark, [...(marks.get(mark) ?? []), at]));
const modelUrl = `http://127.0.0.1:${modelPort}/v1`;
const models = join(dataDir, 'models.json');
writeFileSync(
  models,
  JSON.stringify({ models: [{ id: MODEL, router: 'default', prices: { input: '0.10', output: '0.40' } }] }),
);
const postgres = await startEmbeddedPostgres(place);
const redis = await startEmbeddedRedis(place);
const pool = new pg.Pool({ connectionString: postgres.url, max: 5 });
let service;
/** How many services were started, and the key of the one that runs. */
let started = 0;
let secret;

try {
  await migrate(postgres.url);
  service = await start();
  console.log(
    `Node ${process.versions.node}, ${availableParallelism()} processors, a load of ` +
      `${(loadavg()[0] / availableParallelism()).toFixed(1)} each before\n`,
  );
  const agent = await agentOf('worker', [{ name: 'recall' }]);
  await runOver(agent, { steps: 2 });
  await throughput(agent);
  await stepOverhead(agent);
  await approvals();
  await followers(agent);
  await claims();
  await killed(agent);
  await service.stop();
  // Firing is measured by itself: nothing drives the runs that it creates.
  service = await start({ FEATURE_FLAGS: 'agent_runs=off' });
  await firing();
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await service?.stop();
  model.kill();
  await pool.end();
  await redis.stop();
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

/** The first service signs its person up, and the second one needs another. */
async function start(settings = {}) {
  if (started++ > 0) {
    await pool.query("UPDATE users SET username = 'before', email = 'before@example.org'");
    await pool.query("UPDATE organizations SET slug = 'before'");
  }
  return startService({
    settings: {
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      MODEL_ROUTER_URL: modelUrl,
      MODELS_FILE: models,
      // Other work on the machine must not end the bench.
      REDIS_TIMEOUT_MS: '5000',
      API_KEY_PEPPER: 'a-pepper-of-the-bench-long-enough-for-it',
      SECRETS_KEY: 'a-secrets-key-of-the-bench-long-enough',
      ...settings,
    },
  });
}

async function agentOf(slug, tools) {
  const definition = { instructions: 'Work.', models: [MODEL], tools, memory: { archive: true } };
  await service.call('POST', '/agents', { name: slug, slug, ...definition });
  return slug;
}

function begin(agent, input) {
  return service.call('POST', `/agents/${agent}/runs`, { input });
}

async function until(id, isSo) {
  for (;;) {
    const run = await service.call('GET', `/runs/${id}`);
    if (isSo(run)) return run;
    if (run.state === 'failed') throw new Error(`A run failed: ${JSON.stringify(run.error)}`);
    await sleep(10);
  }
}

async function runOver(agent, input) {
  const { id } = await begin(agent, input);
  return until(id, ({ ended_at }) => ended_at !== undefined);
}

async function throughput(agent) {
  const { perSecond, accepted } = await measured(async () => {
    const from = performance.now();
    let left = runs;
    await Promise.all(
      Array.from({ length: CALLERS }, async () => {
        while (left-- > 0) await begin(agent, 'Say hello.');
      }),
    );
    const posted = performance.now() - from;
    for (;;) {
      const { rows } = await pool.query("SELECT count(*)::int AS n FROM runs WHERE state IN ('queued', 'running')");
      if (rows[0].n === 0) break;
      await sleep(20);
    }
    return { accepted: (runs * 1_000) / posted, perSecond: (runs * 1_000) / (performance.now() - from) };
  });
  console.log(`Runs of one step: ${accepted} accepted a second over HTTP, ${perSecond} driven to their end a second`);
}

/** Returns the medians of the rounds. */
async function measured(work) {
  const results = [];
  for (let round = 0; round < rounds; round++) results.push(await work());
  return Object.fromEntries(
    Object.keys(results[0]).map((name) => [name, Math.round(median(results.map((each) => each[name])))]),
  );
}

async function stepOverhead(agent) {
  const bare = [];
  const steps = [];
  for (let sample = 0; sample < SAMPLES; sample++) {
    for (let call = 0; call < STEPS; call++) {
      const from = performance.now();
      const body = { model: MODEL, stream: true, messages: [{ role: 'user', content: 'Say hello.' }] };
      const headers = { 'content-type': 'application/json' };
      await (
        await fetch(`${modelUrl}/chat/completions`, { method: 'POST', headers, body: JSON.stringify(body) })
      ).text();
      bare.push(performance.now() - from);
    }
    const { id } = await runOver(agent, { steps: STEPS });
    const found = await service.call('GET', `/runs/${id}/steps?limit=100`);
    const begins = found.map(({ created_at: at }) => Date.parse(at)).sort((one, other) => one - other);
    steps.push(...begins.slice(1).map((at, index) => at - begins[index]));
  }
  const figure = (times) => `p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms`;
  console.log(
    `A step with a call of a tool: ${figure(steps)}; the same call of the model in a bare loop: ${figure(bare)}`,
  );
}

async function approvals() {
  const agent = await agentOf('approved', [{ name: 'remember', approval: 'always' }]);
  const times = [];
  for (let sample = 0; sample < SAMPLES; sample++) {
    const { id } = await begin(agent, { steps: 2, tool: 'remember', arguments: { text: `Fact ${sample}.` } });
    await until(id, ({ waiting_for }) => waiting_for === 'approval');
    const [approval] = await service.call('GET', `/approvals?run_id=${id}&state=waiting`);
    const { decided_at: decidedAt } = await service.call('POST', `/approvals/${approval.id}`, { decision: 'approve' });
    await until(id, ({ ended_at }) => ended_at !== undefined);
    const resumed = (await eventsOf(id)).findLast(({ type }) => type === 'run.resumed');
    times.push(Date.parse(resumed.at) - Date.parse(decidedAt));
  }
  console.log(`Approved → running again: p50 ${quantile(times, 0.5)} ms, p95 ${quantile(times, 0.95)} ms`);
}

async function eventsOf(id) {
  const text = await service.text(`/runs/${id}/events?follow=false`);
  const values = text.includes('\ndata:') || text.startsWith('data:') ? text.match(/^data: .*$/gm) : text.split('\n');
  return values
    .map((line) => line.replace(/^data: /, ''))
    .filter((line) => line.startsWith('{'))
    .map(JSON.parse);
}

/** The time from when an event says that it happened until a follower has it. */
async function followers(agent) {
  const times = [];
  for (let sample = 0; sample < SAMPLES; sample++) {
    const { id } = await begin(agent, { steps: 3, delay_ms: 30 });
    for await (const { at, receivedAt } of follow(id)) times.push(receivedAt - Date.parse(at));
  }
  console.log(`Event → follower: p50 ${quantile(times, 0.5)} ms, p95 ${quantile(times, 0.95)} ms`);
}

/** Yields the stored events of a run as they arrive, without those that were there before. */
async function* follow(id) {
  const began = Date.now();
  const headers = { accept: 'application/x-ndjson', authorization: `Bearer ${await key()}` };
  const response = await fetch(`${service.url}/api/v1/runs/${id}/events`, { headers });
  let rest = '';
  for await (const bytes of response.body) {
    const receivedAt = Date.now();
    const lines = (rest + Buffer.from(bytes).toString()).split('\n');
    rest = lines.pop();
    for (const event of lines.filter((line) => line !== '').map(JSON.parse))
      if (event.at !== undefined && Date.parse(event.at) >= began) yield { at: event.at, receivedAt };
  }
}

async function key() {
  secret ??= (await service.call('POST', '/keys', { name: 'follower' })).secret;
  return secret;
}

async function claims() {
  let swarm;
  try {
    const coordinator = { agent_id: await agentOf('coordinator', [{ name: 'board' }]) };
    const budget = { cost: '5.00' };
    const input = { name: 'bench', goal: '{"steps": 1, "delay_ms": 600000}', coordinator, workers: [], budget };
    swarm = await service.call('POST', '/swarms', input);
  } catch (error) {
    console.log(`Claims of tasks: not measured, ${error.message.slice(0, 100)}`);
    return;
  }
  const count = Math.min(1_000, runs * 2);
  for (let number = 0; number < count; number++)
    await service.call('POST', `/swarms/${swarm.id}/tasks`, { title: `Task ${number}` });
  const from = performance.now();
  let claimed = 0;
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      while ((await service.call('POST', `/swarms/${swarm.id}/tasks/claim`, {})) != null) claimed++;
    }),
  );
  console.log(`Claims of tasks over HTTP: ${Math.round((claimed * 1_000) / (performance.now() - from))} a second`);
  await service.call('POST', `/swarms/${swarm.id}/cancel`);
}

/** The time from the death of the worker in the middle of a call of the model until it is called again. */
async function killed(agent) {
  const { id } = await begin(agent, { mark: 'killed', delay_ms: 3_000 });
  while (!marks.has('killed')) await sleep(10);
  const worker = descendantsOf(service.pid).find((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('\0worker\0'),
  );
  if (worker === undefined) throw new Error('There is no process of the role worker.');
  const at = Date.now();
  process.kill(worker, 'SIGKILL');
  while (marks.get('killed').length < 2) await sleep(10);
  await until(id, ({ ended_at }) => ended_at !== undefined);
  console.log(
    `SIGKILL of the worker → the model is asked again: ${((marks.get('killed')[1] - at) / 1_000).toFixed(1)} s`,
  );
}

async function firing() {
  const agent = await service.call('POST', '/agents', { name: 'Fired', instructions: 'Work.', models: [MODEL] });
  const fields = { agent_id: agent.id, name: 'bench', every_seconds: 86_400, input: 'Go.', overlap: 'allow' };
  const { id } = await service.call('POST', '/schedules', fields);
  await pool.query(
    `INSERT INTO schedules SELECT (jsonb_populate_record(s, jsonb_build_object('id', 'sch_' || md5(n::text)))).*
     FROM schedules s, generate_series(1, $2::int) n WHERE s.id = $1`,
    [id, schedules],
  );
  const lags = { ours: [], bullmq: [] };
  for (let round = 0; round < rounds; round++) {
    lags.ours.push(await fireOurs(id));
    lags.bullmq.push(await fireBullmq(round));
  }
  console.log(`\n| ${schedules} due at once | p50 | last |\n|---|---|---|`);
  for (const [name, all] of Object.entries(lags)) {
    const at = (share) => median(all.map((times) => quantile(times, share)));
    console.log(`| ${name} | ${(at(0.5) / 1_000).toFixed(2)} s | ${(at(1) / 1_000).toFixed(2)} s |`);
  }
}

async function fireOurs(id) {
  const due = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 3_000);
  await pool.query(
    `UPDATE schedules SET next_at = $2, wake_at = $2, anchor_at = $2, then_at = $2::timestamptz + interval '1 day'
     WHERE id <> $1`,
    [id, due],
  );
  // The update of all rows leaves dead ones behind, which is no part of firing.
  await pool.query('VACUUM ANALYZE schedules');
  const fires = 'FROM schedule_fires WHERE due_at = $1';
  while ((await pool.query(`SELECT count(*)::int AS n ${fires}`, [due])).rows[0].n < schedules) await sleep(250);
  const { rows } = await pool.query(`SELECT extract(epoch FROM fired_at - due_at) * 1000 AS ms ${fires}`, [due]);
  return rows.map(({ ms }) => Number(ms));
}

async function fireBullmq(round) {
  const connection = { url: redis.url, maxRetriesPerRequest: null };
  const queue = new Queue(`bench-${round}`, { connection });
  const due = Date.now() + 5_000 + schedules * 2;
  for (let first = 0; first < schedules; first += 500)
    await Promise.all(
      Array.from({ length: Math.min(500, schedules - first) }, (_, index) =>
        queue.upsertJobScheduler(`s-${first + index}`, { every: 86_400_000, startDate: due }, { name: 'fire' }),
      ),
    );
  if (Date.now() > due) throw new Error('The job schedulers of BullMQ were not there in time.');
  const times = [];
  const worker = new Worker(queue.name, () => Promise.resolve(times.push(Date.now() - due)), {
    connection,
    concurrency: 50,
  });
  while (times.length < schedules) await sleep(50);
  await worker.close();
  await queue.obliterate({ force: true });
  await queue.close();
  return times;
}
