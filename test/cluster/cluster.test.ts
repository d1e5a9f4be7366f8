import { reportDrill } from '../support/drill-report.js';
import { onThisMachine } from '../support/patience.js';
import { deployApps } from './apps.js';
import { hasHaproxy } from './balancer.js';
import { endMessages, notifiedOrganizations } from './bookkeeping.js';
import { Caller } from './caller.js';
import { Cluster } from './cluster.js';
import type { DrillResult, Field } from './drill.js';
import { killedEdges } from './drills/edge.js';
import { frozenWorkers } from './drills/frozen.js';
import { partitions } from './drills/partitions.js';
import { restartedPostgres } from './drills/postgres.js';
import { killedPrimaries } from './drills/redis.js';
import { rollingRestarts } from './drills/rolling.js';
import { killedWorkers } from './drills/workers.js';

/** `npm run bench:cluster` sets these; by themselves, the tests run their short forms. */
const isFull = process.env['CLUSTER_FULL'] === '1';
const only = process.env['CLUSTER_DRILLS']?.split(',');
const perSecond = Number(process.env['CLUSTER_RATE'] ?? (isFull ? 150 : 30));
const rounds = Number(process.env['CLUSTER_ROUNDS'] ?? (isFull ? 20 : 1));
/** With more than two slow processors can do, a drill would measure how long its own work waits. */
const OF_WORK = 20;
const sized = <Size>(short: Size, full: Size): Size => (isFull ? full : short);

const DRILLS: readonly (readonly [name: string, title: string, run: (field: Field) => Promise<DrillResult>])[] = [
  ...(['api', 'edge', 'worker'] as const).map(
    (role) =>
      [
        'rolling',
        `rolling restarts of \`${role}\``,
        (field: Field) => rollingRestarts(field, role, { rounds, perSecond }),
      ] as const,
  ),
  ['edge', '`edge` killed', (field) => killedEdges(field, { kills: sized(1, 10), perSecond: sized(24, 60) })],
  [
    'workers',
    'SIGKILL of workers',
    (field) => killedWorkers(field, { kills: sized(2, 100), jobs: sized(300, 20_000), perSecond: sized(30, 45) }),
  ],
  [
    'frozen',
    'SIGSTOP of workers',
    (field) => frozenWorkers(field, { executions: 6, jobs: sized(50, 500), untilLocksEnd: isFull }),
  ],
  ['redis', 'Redis primary killed', (field) => killedPrimaries(field, { kills: sized(1, 10), perSecond: OF_WORK })],
  [
    'postgres',
    'PostgreSQL restarted',
    (field) => restartedPostgres(field, { restarts: sized(2, 10), backends: sized(10, 50), perSecond: OF_WORK }),
  ],
  ['partitions', 'network partitions', (field) => partitions(field, { rounds: sized(1, 3), calls: sized(3, 10) })],
];

jest.setTimeout(isFull ? 3_600_000 : onThisMachine(180_000));

(hasHaproxy ? describe : describe.skip)('a cluster', () => {
  const cluster = new Cluster();
  let field: Field;
  let stopEnding = (): void => undefined;

  beforeAll(async () => {
    await cluster.start();
    const caller = await Caller.signUp(cluster.url, 'ada');
    field = {
      cluster,
      caller,
      notified: await notifiedOrganizations(cluster),
      apps: await deployApps(cluster, caller),
    };
    stopEnding = endMessages(cluster, field.notified);
  });

  afterAll(async () => {
    stopEnding();
    await cluster.stop();
  });

  const chosen = DRILLS.filter(([name]) => only?.includes(name) ?? true);
  it.each(chosen)('%s: withstands %s', async (_name, title, run) => {
    const fromMs = performance.now();
    const { count, figures, violations } = await run(field);
    const all = [...violations, ...cluster.takeFaults()];
    const tookSeconds = Math.round((performance.now() - fromMs) / 1_000);
    reportDrill({ drill: title, count, figures, seconds: tookSeconds, verdict: all.length === 0 ? 'held' : 'missed' });
    expect(all).toEqual([]);
  });
});
