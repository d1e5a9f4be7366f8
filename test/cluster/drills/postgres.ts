import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../support/embedded-servers.js';
import { Bookkeeping } from '../bookkeeping.js';
import { describeAnswer, isSuccess, isTypedRefusal } from '../caller.js';
import { type DrillResult, type Field, seconds, some } from '../drill.js';
import { Load, longestGapMs } from '../load.js';

const A_READ = 'GET /projects';

/**
 * PostgreSQL is restarted, in order and as after a crash in turns, and connections of the service are ended by the
 * server. No acknowledged write may be missing, and none made twice.
 */
export async function restartedPostgres(
  { cluster, caller, notified }: Field,
  {
    restarts,
    backends,
    perSecond,
  }: { readonly restarts: number; readonly backends: number; readonly perSecond: number },
): Promise<DrillResult> {
  const books = new Bookkeeping(cluster, notified);
  const violations: string[] = [];
  let ended = 0;
  const load = new Load(perSecond, async (index) => {
    if (index % 2 === 0) return { what: A_READ, answer: await caller.call('GET', '/projects') };
    return { what: 'a write', answer: await books.write(index) };
  });
  const sent = await load.during(async () => {
    for (let round = 0; round < restarts; round++) {
      await sleep(1_000);
      await cluster.postgres.restart(round % 2 === 0 ? 'fast' : 'immediate');
      await until('it is answered again', async () => isSuccess(await caller.call('GET', '/projects')), 30_000);
    }
    while (ended < backends) {
      await sleep(100);
      const rows = await cluster.sql(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'service-platform' AND pid <> pg_backend_pid() ORDER BY random() LIMIT $1`,
        [Math.min(5, backends - ended)],
      );
      ended += rows.length;
    }
    await sleep(1_000);
  });
  for (const { what, answer } of sent)
    if (!isSuccess(answer) && !isTypedRefusal(answer)) violations.push(describeAnswer(what, answer));
  await cluster.balancer.untilAllAreUp();
  const { lost, doubled } = await books.account();
  // A write is repeated until it is acknowledged, which may be long after its first attempt was refused.
  const reads = sent.filter(({ what, answer }) => what === A_READ && isSuccess(answer));
  const withoutReadMs = longestGapMs(reads.map(({ atMs, answer }) => atMs + answer.tookMs));
  const withoutWriteMs = longestGapMs(books.acknowledgedAtMs);
  return {
    count: `${restarts} restarts, ${ended} connections ended, ${books.writes.length} writes acknowledged`,
    figures:
      `${lost.length} acknowledged ones lost, ${doubled.length} doubled; ` +
      `no read served for ${seconds(withoutReadMs)} at most, no write acknowledged for ${seconds(withoutWriteMs)}`,
    violations: some([
      ...violations,
      ...books.wrong,
      ...lost.map((what) => `Lost: ${what}`),
      ...doubled.map((what) => `Doubled: ${what}`),
    ]),
  };
}
