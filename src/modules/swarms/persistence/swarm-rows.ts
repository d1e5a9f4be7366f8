export const SWARM_STATES = ['running', 'stalled', 'succeeded', 'failed', 'cancelled'] as const;
export type SwarmState = (typeof SWARM_STATES)[number];
export type SwarmEndState = Extract<SwarmState, 'succeeded' | 'failed' | 'cancelled'>;

export const isSwarmOver = (state: SwarmState): state is SwarmEndState => state !== 'running' && state !== 'stalled';

export const TASK_STATES = ['blocked', 'open', 'claimed', 'done', 'failed', 'cancelled'] as const;
export type TaskState = (typeof TASK_STATES)[number];
export type TaskCounts = Readonly<Record<TaskState, number>>;

/** Why a swarm or a task failed. */
export interface Failure {
  readonly code: string;
  readonly message: string;
}

/** An agent of a swarm, and how many runs of it may work at once. */
export interface SwarmWorker {
  readonly agentId: string;
  readonly count: number;
}

export interface Swarm {
  readonly id: string;
  readonly orgId: string;
  readonly name: string;
  readonly goal: string;
  readonly state: SwarmState;
  readonly coordinatorAgentId: string;
  readonly coordinatorRunId: string | null;
  readonly workers: readonly SwarmWorker[];
  readonly costNano: bigint;
  readonly reserveNano: bigint;
  readonly output: unknown;
  readonly error: Failure | null;
  /** Raised by every change of the board but claims, so that a waiting coordinator learns of progress. */
  readonly moves: number;
  /** What {@link moves} was when the coordinator began to wait. Null while it does not wait. */
  readonly awaitedMoves: number | null;
  /** What {@link moves} was when the coordinator learned that nothing can move. */
  readonly nudgedMoves: number | null;
  /** Runs of workers in a row that completed no task. */
  readonly fruitlessRuns: number;
  readonly createdBy: string;
  readonly createdByKey: string | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
}

export interface TaskNote {
  readonly text: string;
  readonly run_id?: string;
  readonly at: string;
}

/** Who works on a task: a run, or a program outside of the service. */
export interface TaskHolder {
  readonly runId: string | null;
  readonly userId: string | null;
  readonly name: string | null;
}

export interface SwarmTask {
  readonly id: string;
  readonly swarmId: string;
  readonly orgId: string;
  readonly title: string;
  readonly description: string | null;
  readonly state: TaskState;
  readonly needs: readonly string[];
  readonly labels: readonly string[];
  /** Null unless it is claimed. */
  readonly holder: TaskHolder | null;
  /** Rises with each claim. A holder with an older one has lost the task. */
  readonly fence: number;
  /** Null for a run, which holds its task until it ends. */
  readonly leaseExpiresAt: Date | null;
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly notes: readonly TaskNote[];
  /** True once a run that has read text from outside of the service has written to it. */
  readonly isTainted: boolean;
  readonly result: unknown;
  readonly error: Failure | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The columns of a {@link SwarmTask} `t`. */
export const TASK_COLUMNS = `
  t.id, t.swarm_id AS "swarmId", t.org_id AS "orgId", t.title, t.description, t.state, t.labels,
  ARRAY(SELECT need_id FROM swarm_task_needs n WHERE n.task_id = t.id ORDER BY need_id) AS needs,
  CASE WHEN t.state = 'claimed' THEN json_build_object(
    'runId', t.holder_run_id, 'userId', t.holder_user_id, 'name', t.holder_name) END AS holder,
  t.fence::float8 AS fence, t.lease_expires_at AS "leaseExpiresAt", t.attempts, t.max_attempts AS "maxAttempts",
  t.notes, t.tainted AS "isTainted", t.result, t.error, t.created_at AS "createdAt", t.updated_at AS "updatedAt"`;
