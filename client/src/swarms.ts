import type {
  FailedSwarmTask,
  Fenced,
  NextTaskClaim,
  TaskFailure,
  NewSwarm,
  NewSwarmTask,
  Swarm,
  SwarmTask,
  SwarmTasksQuery,
  TaskClaim,
} from './agent-types.js';
import { methodsOf } from './methods.js';
import type { Listing, ListQuery } from './page.js';
import type { RequestOptions, Transport } from './transport.js';

/** Agents that share a goal, a budget and a board of tasks. Reads need `agents:read`, and writes need `agents:run`. */
export interface Swarms extends SwarmCalls {
  readonly tasks: SwarmTasks;
}

interface SwarmCalls {
  list(query?: ListQuery, options?: RequestOptions): Listing<Swarm>;

  /** @throws {AuthorizationError} `feature_not_in_plan`. */
  create(swarm: NewSwarm, options?: RequestOptions): Promise<Swarm>;

  /** @throws {NotFoundError} `swarm_not_found`. */
  get(swarmId: string, options?: RequestOptions): Promise<Swarm>;

  /** Cancels the swarm with its tasks and runs. */
  cancel(swarmId: string, options?: RequestOptions): Promise<Swarm>;
}

/** The board of a swarm. Workers outside of the service claim tasks here too. */
export interface SwarmTasks {
  list(swarmId: string, query?: SwarmTasksQuery, options?: RequestOptions): Listing<SwarmTask>;

  /** Adds a task. @throws {ValidationError} `invalid_request`: the needs form a cycle. */
  create(swarmId: string, task: NewSwarmTask, options?: RequestOptions): Promise<SwarmTask>;

  /** @throws {NotFoundError} `task_not_found`. */
  get(taskId: string, options?: RequestOptions): Promise<SwarmTask>;

  /**
   * Adds needs to a task that is blocked or open.
   *
   * @throws {ValidationError} `invalid_request`: the needs form a cycle.
   * @throws {ConflictError} `task_not_open`.
   */
  addNeeds(taskId: string, needs: { readonly needs: readonly string[] }, options?: RequestOptions): Promise<SwarmTask>;

  /** Claims the next open task. Resolves to null if none is open. */
  claimNext(swarmId: string, claim?: NextTaskClaim, options?: RequestOptions): Promise<SwarmTask | null>;

  /** Claims a task until its lease expires. @throws {ConflictError} `task_already_claimed`. */
  claim(taskId: string, claim?: TaskClaim, options?: RequestOptions): Promise<SwarmTask>;

  /** Extends the lease. @throws {ConflictError} `task_not_claimed`: the claim is lost. */
  renew(taskId: string, claim: Fenced & Pick<TaskClaim, 'lease_seconds'>, options?: RequestOptions): Promise<SwarmTask>;

  /** @throws {ConflictError} `task_not_claimed`. */
  complete(taskId: string, done: Fenced & { readonly result?: unknown }, options?: RequestOptions): Promise<SwarmTask>;

  /** Fails this attempt. After the last, the task fails. @throws {ConflictError} `task_not_claimed`. */
  fail(taskId: string, failure: TaskFailure, options?: RequestOptions): Promise<FailedSwarmTask>;

  /** Opens the task for others. @throws {ConflictError} `task_not_claimed`. */
  release(taskId: string, claim: Fenced, options?: RequestOptions): Promise<SwarmTask>;
}

export const swarmsOf = (transport: Transport): Swarms => ({
  ...methodsOf<SwarmCalls>(transport, {
    list: 'list swarms',
    create: 'post swarms',
    get: 'get swarms/:',
    cancel: 'post swarms/:/cancel -',
  }),
  tasks: methodsOf<SwarmTasks>(transport, {
    list: 'list swarms/:/tasks',
    create: 'post swarms/:/tasks',
    get: 'get tasks/:',
    addNeeds: 'post tasks/:/needs',
    claimNext: 'post swarms/:/tasks/claim',
    claim: 'post tasks/:/claim',
    renew: 'post tasks/:/renew',
    complete: 'post tasks/:/complete',
    fail: 'post tasks/:/fail',
    release: 'post tasks/:/release',
  }),
});
