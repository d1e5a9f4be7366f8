import { SWARM_ID } from '../../src/modules/swarms/swarms.ids.js';
import { Ids } from '../../src/platform/ids/ids.js';
import type { Make } from '../support/make.js';
import type { TestApp } from '../support/test-app.js';

/** Adds a swarm without agents, for tests of boards. Nothing starts runs of it. */
export async function addSwarm(app: TestApp, make: Make, orgId: string, state = 'running'): Promise<string> {
  const id = app.get(Ids).next(SWARM_ID);
  await make.sql(
    `INSERT INTO swarms (id, org_id, name, goal, state, coordinator_agent_id, workers, cost_nano, reserve_nano,
       needs_turn, created_by, created_at, ended_at)
     VALUES ($1, $2, 'Board', 'Test', $3, 'agt_none', '[]', 1, 0, false, 'usr_none', now(),
       CASE WHEN $3 IN ('running', 'stalled') THEN NULL ELSE now() END)`,
    [id, orgId, state],
  );
  return id;
}

/** Makes the lease of a claim end now. */
export const endLease = (make: Make, taskId: string): Promise<unknown> =>
  make.sql("UPDATE swarm_tasks SET lease_expires_at = now() - interval '1 second' WHERE id = $1", [taskId]);
