/** Returns the subject of the budget of an API key, as `/api/v1/billing/budgets/:subject` has it. */
export const keySubject = (keyId: string): string => `key:${keyId}`;

/** Returns the subject of the monthly budget of an agent. */
export const agentSubject = (agentId: string): string => `agent:${agentId}`;

/** Returns the subject of the budget of a run of an agent, and of all runs below it. */
export const runSubject = (runId: string): string => `run:${runId}`;

/** Returns the subject of the budget of a swarm. */
export const swarmSubject = (swarmId: string): string => `swarm:${swarmId}`;

/** Returns the subject of what the workers of a swarm may spend, which leaves the reserve to the coordinator. */
export const swarmWorkersSubject = (swarmId: string): string => `swarm-workers:${swarmId}`;

/** Returns the subject of the budget of a project. */
export const projectSubject = (projectId: string): string => `project:${projectId}`;
