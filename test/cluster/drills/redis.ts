import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../support/embedded-servers.js';
import { Bookkeeping } from '../bookkeeping.js';
import { describeAnswer, isSuccess, isTypedRefusal } from '../caller.js';
import { allowedMs, type DrillResult, type Field, seconds, some } from '../drill.js';
import { Load, type Sent, spanMs } from '../load.js';

const REFUSED_FOR_MS = 5_000;
const QUIET_MS = 2_000;
const AN_EXECUTION = 'an execution';

/**
 * The primary of Redis is killed again and again. Calls with a key go on without it, work that needs it is refused for
 * seconds, and what was accepted is done.
 */
export async function killedPrimaries(
  { cluster, caller, notified }: Field,
  { kills, perSecond }: { readonly kills: number; readonly perSecond: number },
): Promise<DrillResult> {
  const books = new Bookkeeping(cluster, notified);
  const violations: string[] = [];
  let [longestMs, sentCount, refused] = [0, 0, 0];
  for (let kill = 0; kill < kills; kill++) {
    const load = new Load(perSecond, async (index) => {
      switch (index % 5) {
        case 0:
          return { what: AN_EXECUTION, answer: await books.execute(index) };
        case 1: {
          return { what: 'a write', answer: await books.write(kill * 1_000_000 + index) };
        }
        default:
          return { what: 'GET /projects', answer: await caller.call('GET', '/projects') };
      }
    });
    let killedPort = 0;
    const sent = await load.during(async () => {
      await sleep(1_000);
      killedPort = await cluster.redis.killPrimary();
      await until(
        'the sentinels have another primary',
        async () => {
          const primary = await cluster.redis.primary().catch(() => undefined);
          return primary !== undefined && primary.port !== killedPort;
        },
        20_000,
      );
      await until('calls are served again', () => isServed(load.sent), 30_000);
    });
    const bad = sent.filter(({ answer }) => !isSuccess(answer));
    longestMs = Math.max(longestMs, spanMs(bad));
    sentCount += sent.length;
    refused += bad.length;
    if (spanMs(bad) > allowedMs(REFUSED_FOR_MS)) violations.push(`Calls were refused for ${seconds(spanMs(bad))}.`);
    for (const { what, answer } of bad) {
      if (what !== AN_EXECUTION) violations.push(describeAnswer(`needs no Redis, ${what}`, answer));
      else if (!isTypedRefusal(answer)) violations.push(describeAnswer(what, answer));
    }
    await cluster.redis.revive(killedPort);
    await cluster.balancer.untilAllAreUp();
  }
  const { lost, doubled } = await books.account();
  return {
    count:
      `${kills} kills, ${books.writes.length} jobs and ${books.executions.length} executions accepted, ` +
      `${sentCount} calls`,
    figures:
      `${lost.length} accepted ones lost, ${doubled.length} doubled; ` +
      `${refused} calls refused, for ${seconds(longestMs)} at most`,
    violations: some([
      ...violations,
      ...books.wrong,
      ...lost.map((what) => `Lost: ${what}`),
      ...doubled.map((what) => `Doubled: ${what}`),
    ]),
  };
}

/** True when executions were accepted in the last moment, and nothing was refused. */
function isServed(sent: readonly Sent[]): boolean {
  const last = sent.filter(({ atMs }) => atMs > performance.now() - QUIET_MS);
  return last.some(({ what }) => what === AN_EXECUTION) && last.every(({ answer }) => isSuccess(answer));
}
