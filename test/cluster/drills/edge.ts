import { setTimeout as sleep } from 'node:timers/promises';
import { describeAnswer, isSuccess, Visitor } from '../caller.js';
import { allowedMs, type DrillResult, type Field, seconds, some } from '../drill.js';
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
  const kindOf = (host: string): 'file' | 'server' => (isServed(host) ? 'server' : 'file');
  const visitor = new Visitor(cluster.appsPort);
  const violations: string[] = [];
  const gaps = { file: 0, server: 0 };
  /** Hosts that were on the machine that died. */
  const moved = { file: 0, server: 0 };
  let [visits, broken] = [0, 0];
  for (let kill = 0; kill < kills; kill++) {
    const victim = cluster.processes.edge[kill % cluster.processes.edge.length]!;
    // All are awake where they are served before.
    for (const host of hosts) {
      const before = await cluster.balancer.requestsOf('edge', victim.name);
      await visitor.get(host);
      if ((await cluster.balancer.requestsOf('edge', victim.name)) > before) moved[kindOf(host)]++;
    }
    const load = new Load(perSecond, async (index) => {
      const host = hosts[index % hosts.length]!;
      return { what: host, answer: await visitor.get(host) };
    });
    let killedAtMs = Infinity;
    const sent = await load.during(async () => {
      await sleep(1_000);
      killedAtMs = performance.now();
      await victim.kill();
      await sleep(2 * allowedMs(ANSWERS_WITHIN_MS) + 1_000);
    });
    const after = sent.filter(({ atMs }) => atMs >= killedAtMs - 100);
    visits += sent.length;
    broken += sent.filter(({ answer }) => !isSuccess(answer)).length;
    for (const host of hosts) {
      const gapMs = unansweredMs(
        after.filter(({ what }) => what === host),
        killedAtMs,
      );
      const kind = kindOf(host);
      gaps[kind] = Math.max(gaps[kind], gapMs);
      // A cold start is a process of Node that begins: as long again, at most.
      const withinMs = allowedMs(kind === 'server' ? 2 * ANSWERS_WITHIN_MS : ANSWERS_WITHIN_MS);
      if (gapMs > withinMs)
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
  // With two machines, a host is on each of them in turn.
  if (kills > 1)
    for (const [kind, count] of Object.entries(moved))
      if (count === 0) violations.push(`No host of a ${kind} was on a machine that died.`);
  return {
    count:
      `${kills} kills, ${hosts.length} hosts, ${visits} visits; ` +
      `${moved.file} times files and ${moved.server} times a server were on the one that died`,
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
