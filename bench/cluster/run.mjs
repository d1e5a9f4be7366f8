/**
 * Drills in a cluster on one machine, and a table of what came of them in Markdown.
 *
 *   npm run bench:cluster -- [--full] [--only rolling,edge,workers,frozen,redis,postgres,partitions] [--rate 150]
 *     [--rounds 20]
 *
 * Without --full in the short form of `npm run test:cluster`. Exits with 1 when a drill has missed. See
 * docs/operations/drills.md.
 */
import '../../scripts/on-pinned-node.mjs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../service.mjs';

const DRILLS = ['rolling', 'edge', 'workers', 'frozen', 'redis', 'postgres', 'partitions'];

const { values } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    only: { type: 'string' },
    rate: { type: 'string' },
    rounds: { type: 'string' },
  },
});
const names = values.only?.split(',') ?? DRILLS;
const unknown = names.filter((name) => !DRILLS.includes(name));
if (unknown.length > 0) throw new Error(`There is no drill ${unknown.join(', ')}. Choose from: ${DRILLS.join(', ')}.`);
if (values.rate !== undefined && !(Number(values.rate) > 0))
  throw new Error('--rate is a number of requests a second.');
if (values.rounds !== undefined && !/^[1-9]\d*$/.test(values.rounds))
  throw new Error('--rounds is how often each role is restarted.');

const directory = mkdtempSync(join(tmpdir(), 'bench-cluster-'));
const report = join(directory, 'report');
const jest = spawn(process.execPath, [join(ROOT, 'node_modules/jest/bin/jest.js'), '--selectProjects', 'cluster'], {
  cwd: ROOT,
  env: {
    ...process.env,
    DRILL_REPORT: report,
    CLUSTER_DRILLS: names.join(','),
    REQUIRE_HAPROXY: '1',
    ...(values.full && { CLUSTER_FULL: '1' }),
    ...(values.rate !== undefined && { CLUSTER_RATE: values.rate }),
    ...(values.rounds !== undefined && { CLUSTER_ROUNDS: values.rounds }),
  },
  stdio: ['ignore', 'inherit', 'inherit'],
  // A group of its own: its servers and processes are in it, and end with it.
  detached: true,
});
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    process.kill(-jest.pid, 'SIGTERM');
  });
const [code] = await once(jest, 'close');
const rows = existsSync(report)
  ? readFileSync(report, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  : [];
rmSync(directory, { recursive: true, force: true });

console.log('\n| Drill | How often | What came of it | Took | Held |\n|---|---|---|---:|---|');
for (const { drill, count, figures, seconds, verdict } of rows)
  console.log(`| ${drill} | ${count} | ${figures} | ${seconds} s | ${verdict === 'held' ? 'yes' : '**no**'} |`);
const hasHeld = code === 0 && rows.length > 0 && rows.every(({ verdict }) => verdict === 'held');
console.log(hasHeld ? '\nAll drills held.' : '\nNot all drills held: see above.');
process.exit(hasHeld ? 0 : 1);
