/**
 * The API and a deployed site under load, with and without sandbox executions beside them. Both loads take turns
 * against one service, so that what else the machine does bears on both; the figure is the ratio of their p99.
 *
 *   npm run bench:mixed -- [--rate 400] [--turns 6] [--seconds 15]
 *   npm run bench:mixed -- --sweep      the highest rate at which every p99 stays below 150 ms
 *
 * 5 % of the requests are executions, half are `GET /me` and the rest are pages of the site. Exits with 1 when the
 * ratio is above 3, or anything but an execution is refused.
 */
import '../../scripts/on-pinned-node.mjs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { descendantsOf, mebibytesOf, pushAndWait, repositoryWith, startService } from '../service.mjs';
import { figuresOf, Load, merge } from './load.mjs';

const MOST_RATIO = 3;
const MOST_P99_MS = 150;
const SWEEP_RATES = [50, 100, 150, 200, 250, 300, 350, 400, 500, 600];
const PAUSE_MS = 1_000;
const READY_WITHIN_MS = 60_000;
const PROGRAMS = [
  { language: 'python', code: 'print(sum(i * i for i in range(20000)))' },
  { language: 'javascript', code: 'let s = 0; for (let i = 0; i < 1e6; i++) s += i; console.log(s)' },
];

const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '400' },
    turns: { type: 'string', default: '6' },
    seconds: { type: 'string', default: '15' },
    sweep: { type: 'boolean', default: false },
  },
});
const [rate, turns, seconds] = [values.rate, values.turns, values.seconds].map(Number);

const service = await startService({ settings: { SANDBOX_ENABLED: 'true' } });
const load = new Load();
try {
  const { deploy } = await pushAndWait(
    service,
    await repositoryWith(service, 'site', {
      files: { 'index.html': '<!doctype html><title>Site</title>'.padEnd(1_024, 'x') },
    }),
  );
  const token = /any:([^@]+)@/.exec(service.gitUrl('site'))[1];
  const kinds = kindsOf({ api: service.port, token, site: new URL(deploy.url) });
  await untilSandboxIsReady(kinds);
  await measure(kinds, Math.min(rate, 50), 1, 3);
  process.exitCode = values.sweep ? await sweep(kinds) : await compare(kinds);
} finally {
  load.close();
  await service.stop();
}

function kindsOf({ api, token, site }) {
  const authorization = `Bearer ${token}`;
  let turn = 0;
  const execution = () => {
    const body = JSON.stringify(PROGRAMS[turn++ % PROGRAMS.length]);
    return {
      port: api,
      method: 'POST',
      path: '/api/v1/sandbox/executions',
      headers: { authorization, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      body,
    };
  };
  return {
    me: { name: 'GET /me', share: 0.5, make: () => ({ port: api, path: '/api/v1/me', headers: { authorization } }) },
    site: {
      name: 'site',
      share: 0.45,
      make: () => ({ port: Number(site.port) || api, path: '/', headers: { host: site.host } }),
    },
    execution: { name: 'execution', share: 0.05, make: execution },
  };
}

async function untilSandboxIsReady({ execution }) {
  const until = performance.now() + READY_WITHIN_MS;
  for (;;) {
    const {
      execution: [answer],
    } = await load.run([{ ...execution, perSecond: 1 }], 0.5);
    if (answer?.status === 200) return;
    if (performance.now() > until) throw new Error(`The sandbox is not ready: ${answer?.status}`);
    await sleep(PAUSE_MS);
  }
}

/**
 * The two loads one after the other, `times` times; the shares of requests that are not executions are the same in
 * both.
 */
async function measure({ me, site, execution }, perSecond, times, each) {
  const at = (kind) => ({ ...kind, perSecond: kind.share * perSecond });
  const [quiet, mixed] = [
    [me, site],
    [me, site, execution],
  ].map((kinds) => kinds.map(at));
  let results = [{}, {}];
  for (let turn = 0; turn < times; turn++) {
    for (const [index, kinds] of [quiet, mixed].entries()) {
      results[index] = merge(results[index], await load.run(kinds, each));
      await sleep(PAUSE_MS);
    }
  }
  return results.map((result) =>
    Object.fromEntries(Object.entries(result).map(([name, answers]) => [name, figuresOf(answers)])),
  );
}

async function compare(kinds) {
  const [quiet, mixed] = await measure(kinds, rate, turns, seconds);
  const rows = Object.entries(mixed).map(([name, figures]) => ({ name, quiet: quiet[name], figures }));
  console.table(
    Object.fromEntries(
      rows.map(({ name, quiet: before, figures }) => [
        name,
        {
          requests: figures.requests,
          'p50 alone': round(before?.p50),
          'p50 mixed': round(figures.p50),
          'p99 alone': round(before?.p99),
          'p99 mixed': round(figures.p99),
          ratio: round(figures.p99 / before?.p99),
          refused: figures.refused,
          failed: figures.failed,
        },
      ]),
    ),
  );
  console.log(
    `${rate} requests a second, ${turns} turns of ${seconds} s; memory of the service's own processes: ` +
      `${Math.round(memory())} MiB`,
  );
  const faults = rows.flatMap(({ name, quiet: before, figures }) => [
    ...(figures.failed > 0 ? [`${name}: ${figures.failed} failed`] : []),
    ...(before !== undefined && figures.refused > 0 ? [`${name}: ${figures.refused} refused`] : []),
    ...(before !== undefined && figures.p99 > MOST_RATIO * before.p99
      ? [`${name}: p99 is ${round(figures.p99 / before.p99)} times what it is alone`]
      : []),
  ]);
  for (const fault of faults) console.log(`Missed: ${fault}`);
  return faults.length === 0 ? 0 : 1;
}

async function sweep(kinds) {
  let highest = 0;
  for (const perSecond of SWEEP_RATES) {
    const [, mixed] = await measure(kinds, perSecond, 1, seconds);
    console.log(
      `${perSecond}/s: ${Object.entries(mixed)
        .map(([name, { p99, failed, refused }]) => `${name} p99 ${round(p99)} ms, ${failed} failed, ${refused} refused`)
        .join('; ')}`,
    );
    if (Object.values(mixed).some(({ p99, failed, refused }) => p99 > MOST_P99_MS || failed + refused > 0)) break;
    highest = perSecond;
  }
  console.log(`Every p99 stays below ${MOST_P99_MS} ms up to ${highest} requests a second.`);
  return 0;
}

/** bubblewrap and what runs in it have no such file to read, or count for nothing here. */
function memory() {
  return [service.pid, ...descendantsOf(service.pid)].reduce(
    (sum, pid) => sum + mebibytesOf(pid, 'smaps_rollup', 'Pss'),
    0,
  );
}

function round(value) {
  return value === undefined || Number.isNaN(value) ? '-' : Math.round(value * 10) / 10;
}
