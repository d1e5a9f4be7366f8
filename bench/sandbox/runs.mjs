/** Runs of the smallest program in each language, by all ways in turns, so that the machine does the same to all. */
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

import { millisecondsOf, printTable, quantile } from './figures.mjs';
import { HELLO } from './hello.mjs';
import { openHttp } from './http.mjs';
import { coldWay, openLayer } from './layer.mjs';

/** One at a time. Returns, for each way, how long the calls took, and the programs in them. */
async function measureLatencies(ways, turns) {
  const seen = ways.map(() => ({ calls: [], programs: [] }));
  for (let turn = 0; turn < turns; turn++)
    for (const [index, { run }] of ways.entries()) {
      let programMs;
      seen[index].calls.push(
        await millisecondsOf(async () => {
          programMs = await run();
        }),
      );
      if (programMs !== undefined) seen[index].programs.push(programMs);
      await sleep(70);
    }
  return seen;
}

/** As many at a time as a worker runs, without a pause. */
async function measureRate(run, seconds) {
  const startedAt = performance.now();
  const until = startedAt + seconds * 1000;
  let runs = 0;
  await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      while (performance.now() < until) {
        await run();
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

async function rowsOf(language, ways, { turns, seconds }) {
  const latencies = await measureLatencies(ways, turns);
  const rates = await measureRates(ways, seconds);
  const coldMs = quantile(latencies.at(-1).calls, 0.5);
  return ways.map(({ way }, index) => {
    const { calls, programs } = latencies[index];
    const p50 = quantile(calls, 0.5);
    const programMs = programs.length === 0 ? undefined : quantile(programs, 0.5);
    return {
      language,
      way,
      'p50 ms': p50,
      'p99 ms': quantile(calls, 0.99),
      'program ms': programMs,
      'p50 ÷ program': programMs === undefined ? undefined : p50 / programMs,
      'p50 ÷ cold': p50 / coldMs,
      'runs/s': rates[index],
      'rate ÷ cold': rates[index] / rates.at(-1),
    };
  });
}

export async function benchRuns({ layer, http, turns = 60, seconds = 4, cgroups = 'auto', cpuWeight = 10 }) {
  const opened = [];
  try {
    const sandbox = layer ? await openLayer({ cgroups, cpuWeight }) : undefined;
    if (sandbox !== undefined) opened.push(sandbox);
    const service = http ? await openHttp() : undefined;
    if (service !== undefined) opened.push(service);
    await sleep(1_000);
    const rows = [];
    for (const language of Object.keys(HELLO)) {
      const ways = [...opened.flatMap((each) => each.waysOf(language)), coldWay(language)];
      // The first of each finds nothing warm.
      for (const { run } of ways) await run();
      rows.push(...(await rowsOf(language, ways, { turns, seconds })));
    }
    printTable(`Runs${sandbox === undefined ? '' : `, ${sandbox.mode}`}, ${availableParallelism()} at a time`, rows);
    if (service !== undefined) console.log(`The resident memory of the service: ${service.memory()}.`);
    return rows;
  } finally {
    await Promise.all(opened.map((each) => each.close()));
  }
}
