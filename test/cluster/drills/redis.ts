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
  let [longestMs, electedMs, sentCount, refused] = [0, 0, 0, 0];
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
    let [killedPort, thisElectedMs] = [0, 0];
    cluster.redis.takeSentinelEvents();
    const sent = await load.during(async () => {
      await sleep(1_000);
      const killedAtMs = performance.now();
      killedPort = await cluster.redis.killPrimary();
      await until(
        'the sentinels have another primary',
        async () => {
          const primary = await cluster.redis.primary().catch(() => undefined);
          return primary !== undefined && primary.port !== killedPort;
        },
        20_000,
      );
      thisElectedMs = performance.now() - killedAtMs;
      await until('calls are served again', () => isServed(load.sent), 30_000).catch((error: unknown) => {
        const bad = load.sent.filter(({ answer }) => !isSuccess(answer));
        const served = load.sent.filter(({ what, answer }) => what === AN_EXECUTION && isSuccess(answer)).length;
        const events = cluster.redis.takeSentinelEvents().join('; ');
        throw new Error(
          `Kill ${kill + 1}: ${served} executions were accepted. Refused with ${codesOf(bad)}. ${events}`,
          { cause: error },
        );
      });
    });
    const bad = sent.filter(({ answer }) => !isSuccess(answer));
    longestMs = Math.max(longestMs, spanMs(bad));
    electedMs = Math.max(electedMs, thisElectedMs);
    sentCount += sent.length;
    refused += bad.length;
    if (spanMs(bad) > allowedMs(REFUSED_FOR_MS))
      violations.push(
        `Calls were refused for ${seconds(spanMs(bad))}; the sentinels had another primary after ` +
          `${seconds(thisElectedMs)}. Refused with ${codesOf(bad)}. ` +
          cluster.redis.takeSentinelEvents().join('; '),
      );
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
      `${refused} executions refused, for ${seconds(longestMs)} at most, ` +
      `of which the sentinels took up to ${seconds(electedMs)}`,
    violations: some([
      ...violations,
      ...books.wrong,
      ...lost.map((what) => `Lost: ${what}`),
      ...doubled.map((what) => `Doubled: ${what}`),
    ]),
  };
}

/** How often each code, and from when to when in seconds since the first. */
function codesOf(sent: readonly Sent[]): string {
  const firstAtMs = Math.min(...sent.map(({ atMs }) => atMs));
  const byCode = new Map<string, number[]>();
  for (const { atMs, answer } of sent) {
    const code = /"code":\s*"(\w+)"/.exec(answer.text)?.[1] ?? `status ${answer.status}`;
    byCode.set(code, [...(byCode.get(code) ?? []), atMs - firstAtMs]);
  }
  return [...byCode]
    .map(
      ([code, atMs]) =>
        `${code} ${atMs.length} times from ${seconds(Math.min(...atMs))} to ${seconds(Math.max(...atMs))}`,
    )
    .join(', ');
}

/** True when executions were accepted in the last moment, and nothing was refused. */
function isServed(sent: readonly Sent[]): boolean {
  const last = sent.filter(({ atMs }) => atMs > performance.now() - QUIET_MS);
  return last.some(({ what }) => what === AN_EXECUTION) && last.every(({ answer }) => isSuccess(answer));
}
