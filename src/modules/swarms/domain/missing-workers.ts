import type { SwarmWorker } from '../persistence/swarm-rows.js';

/**
 * Returns the agents of which to start a run each, so that there is a run for each open task and for each task that a
 * run works on, as far as the swarm has workers.
 */
export function missingWorkers(
  workers: readonly SwarmWorker[],
  { active, tasks }: { active: readonly { readonly agentId: string }[]; tasks: number },
): string[] {
  const running = new Map<string, number>();
  for (const { agentId } of active) running.set(agentId, (running.get(agentId) ?? 0) + 1);
  const free = workers.flatMap(({ agentId, count }) =>
    Array<string>(Math.max(0, count - (running.get(agentId) ?? 0))).fill(agentId),
  );
  return free.slice(0, Math.max(0, tasks - active.length));
}
