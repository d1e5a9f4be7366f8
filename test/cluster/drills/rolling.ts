import { type Answer, describeAnswer, isSuccess, Visitor } from '../caller.js';
import { type DrillResult, type Field, some } from '../drill.js';
import { Load } from '../load.js';

const RUN_EVERY = 50;
const PROJECTS = 30;

/**
 * In each round, every process of a role is stopped in order and started again, one after the other, while callers
 * read, write, run code and visit apps. No request may fail.
 */
export async function rollingRestarts(
  { cluster, caller, apps }: Field,
  role: 'api' | 'edge' | 'worker',
  { rounds, perSecond }: { readonly rounds: number; readonly perSecond: number },
): Promise<DrillResult> {
  // Changes of one project wait for each other, and a load that does nothing else is none of many callers.
  const projects: string[] = [];
  for (let count = 0; count < PROJECTS; count++)
    projects.push(((await caller.expect('POST', '/projects', { name: `rolling ${role}` })) as { id: string }).id);
  const visitor = new Visitor(cluster.appsPort);
  const hosts = [...apps.site.hosts, ...apps.server.hosts];
  const visit = async (index: number): Promise<{ what: string; answer: Answer }> => {
    const host = hosts[index % hosts.length]!;
    return { what: `a visit of ${host}`, answer: await visitor.get(host) };
  };
  const call = async (method: string, path: string, body?: object): Promise<{ what: string; answer: Answer }> => ({
    what: `${method} ${path}`,
    answer: await caller.call(method, path, body),
  });
  const load = new Load(perSecond, (index) => {
    if (index % RUN_EVERY === 0)
      return call('POST', '/sandbox/executions', { language: 'javascript', code: 'console.log(1)' });
    switch (index % 10) {
      case 1:
        return call('POST', '/keys', { name: `rolling ${index}` });
      case 2:
        return call('PATCH', `/projects/${projects[Math.floor(index / 10) % PROJECTS]}`, { name: `rolling ${index}` });
      case 3:
      case 4:
      case 5:
        return visit(index);
      case 6:
        return call('GET', '/projects');
      default:
        return call('GET', '/me');
    }
  });
  const tookMs: number[] = [];
  const sent = await load.during(async () => {
    for (let round = 0; round < rounds; round++)
      for (const process of cluster.processes[role]) {
        const fromMs = performance.now();
        await process.stop();
        await process.start();
        await cluster.balancer.untilAllAreUp();
        tookMs.push(performance.now() - fromMs);
      }
  });
  visitor.close();
  const failed = sent.filter(({ answer }) => !isSuccess(answer));
  const writes = sent.filter(({ what }) => !what.startsWith('GET') && !what.startsWith('a visit'));
  return {
    count:
      `${rounds} rolling ${rounds === 1 ? 'restart' : 'restarts'} of \`${role}\`: ` +
      `${tookMs.length} restarts of its ${cluster.processes[role].length} processes, ` +
      `${sent.length} requests at ${perSecond}/s, ` +
      `${writes.length} of them writes`,
    figures: `${failed.length} failed; a restart took ${(Math.max(...tookMs) / 1_000).toFixed(1)} s at most`,
    violations: some(failed.map(({ what, answer }) => describeAnswer(what, answer))),
  };
}
