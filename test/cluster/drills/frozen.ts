import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../support/embedded-servers.js';
import { Bookkeeping } from '../bookkeeping.js';
import { type DrillResult, type Field, some } from '../drill.js';

const RUN_MS = 3_000;
/** After its time limit, an execution is given up within ten seconds. */
const GIVEN_UP_WITHIN_MS = 20_000;
/** Jobs of a worker that says nothing are given to another one after 30 to 60 s. */
const LOCKS_END_AFTER_MS = 65_000;

/**
 * Workers stand still in the middle of their work, for longer than their leases, and go on as if nothing had been: what
 * others have done or given up meanwhile must stay as it is.
 */
export async function frozenWorkers(
  { cluster, notified }: Field,
  {
    executions,
    jobs,
    untilLocksEnd,
  }: { readonly executions: number; readonly jobs: number; readonly untilLocksEnd: boolean },
): Promise<DrillResult> {
  const books = new Bookkeeping(cluster, notified);
  const violations: string[] = [];
  // One worker always goes on. Jobs arrive while the others stand still, and at that moment.
  const victims = cluster.processes.worker.slice(1);
  for (let index = 0; index < executions; index++)
    await books.execute(index, `await new Promise((end) => setTimeout(end, ${RUN_MS}))`, RUN_MS + 1_000);
  await until(
    'some run',
    async () => (await stateOf(cluster, books.executions)).some((state) => state === 'running'),
    20_000,
  );
  const adding = Promise.all(Array.from({ length: jobs }, (_, index) => books.write(executions + index)));
  await sleep(100);
  const fromMs = performance.now();
  for (const victim of victims) victim.freeze();
  let before: string[];
  try {
    await adding;
    await until(
      'executions of workers that stand still are given up',
      async () => (await stateOf(cluster, books.executions)).every((state) => !['queued', 'running'].includes(state)),
      RUN_MS + GIVEN_UP_WITHIN_MS,
    );
    if (untilLocksEnd) await sleep(Math.max(0, LOCKS_END_AFTER_MS - (performance.now() - fromMs)));
    before = await stateOf(cluster, books.executions);
  } finally {
    for (const victim of victims) victim.thaw();
  }
  const stoodMs = performance.now() - fromMs;
  // They end what they had begun.
  await sleep(RUN_MS + 1_000);
  const after = await stateOf(cluster, books.executions);
  if (before.join() !== after.join())
    violations.push(`Executions have ended twice: ${before.join()} became ${after.join()}`);
  await cluster.balancer.untilAllAreUp();
  const { lost, doubled, lostWithWorker } = await books.account();
  return {
    count:
      `${victims.length} workers stood still for ${Math.round(stoodMs / 1_000)} s, ${books.writes.length} jobs, ` +
      `${books.executions.length} executions`,
    figures: `${lost.length} lost, ${doubled.length} doubled; ${lostWithWorker} executions given up, and not charged`,
    violations: some([
      ...violations,
      ...books.wrong,
      ...lost.map((what) => `Lost: ${what}`),
      ...doubled.map((what) => `Doubled: ${what}`),
    ]),
  };
}

async function stateOf(cluster: Field['cluster'], executions: readonly string[]): Promise<string[]> {
  const rows = await cluster.sql<{ status: string }>(
    'SELECT status FROM sandbox_executions WHERE id = ANY ($1) ORDER BY id',
    [executions],
  );
  return rows.map(({ status }) => status);
}
