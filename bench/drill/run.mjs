/**
 * Drills: what the service must stand, repeated with counts, and one table of verdicts at the end.
 *
 *   npm run drill -- [--short] [--only fuzz,kills,disk,mixed,rolling]
 *
 * Bounded to 15 minutes, with --short to 3. Exits with 1 when a drill has missed its verdict. See
 * docs/operations/drills.md.
 */
import '../../scripts/on-pinned-node.mjs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { fuzz } from './fuzz.mjs';
import { mixed } from './mixed.mjs';
import { rolling } from './rolling.mjs';
import { disk, kills } from './tests.mjs';

const DRILLS = { fuzz, rolling, kills, disk, mixed };
/** A drill is not begun with less time than this left, long and short: it would only be cut off. */
const NEEDS_MS = {
  fuzz: [180_000, 30_000],
  rolling: [180_000, 40_000],
  kills: [240_000, 60_000],
  disk: [60_000, 45_000],
  mixed: [90_000, 30_000],
};
const MINUTE_MS = 60_000;

const { values } = parseArgs({ options: { short: { type: 'boolean', default: false }, only: { type: 'string' } } });
const names = values.only?.split(',') ?? Object.keys(DRILLS);
const unknown = names.filter((name) => !(name in DRILLS));
if (unknown.length > 0)
  throw new Error(`There is no drill ${unknown.join(', ')}. Choose from: ${Object.keys(DRILLS).join(', ')}.`);

const endsAtMs = performance.now() + (values.short ? 3 : 15) * MINUTE_MS;
const rows = [];
for (const name of names) rows.push(...(await held(name)));

console.log();
console.table(rows.map(({ drill, count, figures, verdict }) => ({ drill, count, figures, verdict })));
// What was ended because its time was over is gone by then.
await sleep(500);
const missed = rows.filter(({ verdict }) => verdict === 'missed');
console.log(missed.length === 0 ? 'All drills held.' : `${missed.length} of ${rows.length} drills missed.`);
process.exit(missed.length === 0 ? 0 : 1);

/** The rows of one drill. One that throws has missed; one for which no time is left is left out, and says so. */
async function held(name) {
  const leftMs = endsAtMs - performance.now();
  if (leftMs < NEEDS_MS[name][values.short ? 1 : 0])
    return [{ drill: name, count: '-', figures: 'too little time was left', verdict: 'left out' }];
  console.log(`\n=== ${name} (${Math.round(leftMs / 1_000)} s left)`);
  const timer = new AbortController();
  const tooLate = new Promise((_, reject) => {
    setTimeout(() => {
      reject(new Error('The time of the drills was over.'));
    }, leftMs).unref();
  });
  try {
    return await Promise.race([DRILLS[name]({ short: values.short, signal: timer.signal, leftMs }), tooLate]);
  } catch (error) {
    console.error(error);
    return [
      { drill: name, count: '-', figures: String(error.message).split('\n')[0].slice(0, 100), verdict: 'missed' },
    ];
  } finally {
    timer.abort();
  }
}
