import { setTimeout as sleep } from 'node:timers/promises';
import { onThisMachine } from '../../support/patience.js';
import { describeAnswer, isSuccess, Visitor } from '../caller.js';
import { type DrillResult, type Field, seconds, some } from '../drill.js';
import { Load, type Sent } from '../load.js';

const ANSWERS_WITHIN_MS = 1_000;

/**
 * Each `edge` is killed in turn. Every host must answer from the other one within a second; the hosts of a server may
 * take a cold start longer.
 */
export async function killedEdges(
  { cluster, apps }: Field,
  { kills, perSecond }: { readonly kills: number; readonly perSecond: number },
): Promise<DrillResult> {
  const hosts = [...apps.site.hosts, ...apps.server.hosts];
  const isServed = (host: string): boolean => apps.server.hosts.includes(host);
  const visitor = new Visitor(cluster.appsPort);
  const violations: string[] = [];
  const gaps = { file: 0, server: 0 };
  let [visits, broken, coldMs] = [0, 0, 0];
  for (let kill = 0; kill < kills; kill++) {
    const victim = cluster.processes.edge[kill % cluster.processes.edge.length]!;
    // All are awake where they are served before.
    for (const host of hosts) await visitor.get(host);
    const load = new Load(perSecond, async (index) => {
      const host = hosts[index % hosts.length]!;
      return { what: host, answer: await visitor.get(host) };
    });
    await sleep(1_000);
    const killedAtMs = performance.now();
    await victim.kill();
    await sleep(2 * onThisMachine(ANSWERS_WITHIN_MS) + 1_000);
    const sent = await load.stop();
    const after = sent.filter(({ atMs }) => atMs >= killedAtMs - 100);
    coldMs = Math.max(coldMs, ...after.filter(({ what }) => isServed(what)).map(({ answer }) => answer.tookMs));
    visits += sent.length;
    broken += sent.filter(({ answer }) => !isSuccess(answer)).length;
    for (const host of hosts) {
      const gapMs = unansweredMs(
        after.filter(({ what }) => what === host),
        killedAtMs,
      );
      const kind = isServed(host) ? 'server' : 'file';
      gaps[kind] = Math.max(gaps[kind], gapMs);
      // A cold start is a process of Node that begins: as long again, at most.
      const allowedMs = onThisMachine(kind === 'server' ? 2 * ANSWERS_WITHIN_MS : ANSWERS_WITHIN_MS);
      if (gapMs > allowedMs)
        violations.push(
          `${host} was not answered for ${seconds(gapMs)} after ${victim.name} died; ` +
            after
              .filter(({ what, answer }) => what === host && !isSuccess(answer))
              .slice(-1)
              .map(({ answer }) => describeAnswer('the last', answer))
              .join(''),
        );
    }
    await victim.start();
    await cluster.balancer.untilAllAreUp();
  }
  visitor.close();
  return {
    count: `${kills} kills, ${hosts.length} hosts, ${visits} visits`,
    figures:
      `files answered by the other after ${seconds(gaps.file)} at most, servers after ${seconds(gaps.server)} ` +
      `with their cold start; ${broken} visits broke off`,
    violations: some(violations),
  };
}

/** How long it took from the kill to the first answer of those that were asked after the last failure. */
function unansweredMs(sent: readonly Sent[], killedAtMs: number): number {
  const failures = sent.filter(({ answer }) => !isSuccess(answer));
  const lastFailureAtMs = Math.max(killedAtMs, ...failures.map(({ atMs, answer }) => atMs + answer.tookMs));
  const slow = sent.filter(({ answer }) => isSuccess(answer)).map(({ answer }) => answer.tookMs);
  if (slow.length === 0) return Infinity;
  return Math.max(lastFailureAtMs - killedAtMs, ...slow);
}
