/**
 * `npm run bench:tracing`: what a span costs beside the work in it, while traces are off, in a trace that is not
 * recorded, and in one that is. The collector answers at once, in the same process. Figures are medians of the rounds.
 */
import '../scripts/on-pinned-node.mjs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { loadavg } from 'node:os';
import { setImmediate as turn } from 'node:timers/promises';
import { median } from './service.mjs';

const require = createRequire(import.meta.url);
require('reflect-metadata');
const { Tracing } = require('../dist/src/platform/tracing/tracing.js');
const { RequestContext } = require('../dist/src/platform/logging/request-context.js');
const { Shutdown } = require('../dist/src/platform/lifecycle/shutdown.js');

const ROUNDS = 21;
const CALLS = 200_000;
/** Fewer than the buffer takes, so that none is dropped. */
const RECORDED_CALLS = 2_000;
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

const collector = createServer((request, response) => request.resume().on('end', () => response.end('{}')));
collector.listen(0, '127.0.0.1');
await once(collector, 'listening');
const endpoint = `http://127.0.0.1:${collector.address().port}`;

const off = await tracingWith({ ratio: 1 });
const on = await tracingWith({ endpoint, ratio: 1 });
const facts = { attributes: { 'service_platform.sandbox.language': 'python' } };
const work = () => Promise.resolve(1);
const correlation = { requestId: 'req', traceId: TRACE };
const inTrace = (span, run) => on.context.run({ ...correlation, span }, run);

const kinds = [
  ['the work alone', CALLS, () => loop(CALLS, () => work())],
  ['in a span, off', CALLS, () => loop(CALLS, () => off.tracing.span('tested', facts, work))],
  [
    'in a span, not recorded',
    CALLS,
    () => inTrace({ isSampled: false }, () => loop(CALLS, () => on.tracing.span('tested', facts, work))),
  ],
  [
    'in a span, recorded',
    RECORDED_CALLS,
    () =>
      inTrace({ isSampled: true, spanId: '00f067aa0ba902b7' }, () =>
        loop(RECORDED_CALLS, () => on.tracing.span('tested', facts, work)),
      ),
  ],
];
const seen = new Map(kinds.map(([name]) => [name, []]));
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, calls, run] of kinds) {
    const before = performance.now();
    await run();
    // The first rounds are compiled on the way.
    if (round > 2) seen.get(name).push(((performance.now() - before) / calls) * 1e6);
  }
  while (on.exported() < (round + 1) * RECORDED_CALLS) await turn();
}
console.log(`Node ${process.versions.node}, a load of ${loadavg()[0].toFixed(1)}\n`);
for (const [name, figures] of seen)
  console.log(
    `${name.padEnd(26)} ${median(figures).toFixed(0).padStart(6)} ns  ` +
      `(${Math.min(...figures).toFixed(0)}–${Math.max(...figures).toFixed(0)})`,
  );
process.exit(0);

async function loop(calls, call) {
  for (let index = 0; index < calls; index++) await call();
}

async function tracingWith(settings) {
  let exported = 0;
  const context = new RequestContext();
  const metrics = {
    ended: (outcome, count) => {
      if (outcome !== 'exported') throw new Error(`A span was ${outcome}.`);
      exported += count;
    },
  };
  const values = { headers: {}, serviceName: 'bench', ...settings };
  const tracing = new Tracing({ role: 'api' }, values, context, metrics, { debug: console.error }, new Shutdown());
  await tracing.onModuleInit();
  return { tracing, context, exported: () => exported };
}
