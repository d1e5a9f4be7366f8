import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import type { Call } from '../../auth/caller.js';
import type { Scope } from '../../auth/scopes.js';
import type { CreateTaskInput } from '../domain/task-graph.js';
import type { Failure, Swarm, SwarmTask, TaskState } from '../persistence/swarm-rows.js';
import { SwarmTasksStore } from '../persistence/swarm-tasks.store.js';
import { SwarmsStore } from '../persistence/swarms.store.js';
import type { NewClaim } from '../persistence/task-claims.store.js';
import { SwarmNotFound, TaskNotFound } from '../swarms.errors.js';
import { SwarmGate } from './swarm-gate.js';
import { type FailedTask, TaskBoard, type TaskClaim } from './task-board.js';

/** How a program outside of the service claims a task. */
export interface ClaimInput {
  /** What the program calls itself. */
  readonly name: string | undefined;
  readonly leaseSeconds: number;
}

/** The task of a claim, and the fence of the claim. */
export interface ClaimReference {
  readonly id: string;
  readonly fence: number;
}

/** The board of a swarm for callers of the API. */
@Injectable()
export class SwarmTasksService {
  constructor(
    private readonly swarms: SwarmsStore,
    private readonly tasks: SwarmTasksStore,
    private readonly board: TaskBoard,
    private readonly gate: SwarmGate,
  ) {}

  /** Oldest first. @throws {SwarmNotFound} `swarm_not_found` @throws {InsufficientScopes} `insufficient_scopes` */
  async list(call: Call, swarmId: string, state: TaskState | undefined, page: PageRequest): Promise<Page<SwarmTask>> {
    const { id } = await this.swarmOf(call, swarmId, 'agents:read');
    return this.tasks.list(id, state, page);
  }

  /** @throws {TaskNotFound} `task_not_found` @throws {InsufficientScopes} `insufficient_scopes` */
  get(call: Call, id: string): Promise<SwarmTask> {
    return this.taskOf(call, id, 'agents:read');
  }

  /**
   * @throws as {@link list}.
   * @throws {FeatureNotInPlan} `feature_not_in_plan`
   * @throws {SwarmAlreadyOver} `swarm_already_over`
   * @throws {BoardRefuses} `invalid_request`
   */
  async add(call: Call, swarmId: string, input: CreateTaskInput): Promise<SwarmTask> {
    const swarm = await this.swarmOf(call, swarmId, 'agents:run');
    await this.gate.require(swarm.orgId);
    return (await this.board.add(swarm.id, [input], () => ''))[0]!;
  }

  /**
   * Adds needs to a task that is blocked or open.
   *
   * @throws as {@link get}.
   * @throws {SwarmAlreadyOver} `swarm_already_over`
   * @throws {TaskNotOpen} `task_not_open`
   * @throws {BoardRefuses} `invalid_request`
   */
  async addNeeds(call: Call, id: string, needs: readonly string[]): Promise<SwarmTask> {
    return this.board.addNeeds(await this.taskOf(call, id, 'agents:run'), needs);
  }

  /**
   * @throws as {@link get}.
   * @throws {FeatureNotInPlan} `feature_not_in_plan`
   * @throws {TaskHeldByAnother} `task_already_claimed`
   * @throws {TaskNotOpen} `task_not_open`
   */
  async claim(call: Call, id: string, input: ClaimInput): Promise<SwarmTask> {
    const task = await this.taskOf(call, id, 'agents:run');
    await this.gate.require(task.orgId);
    return this.board.claim(task, claimOf(call, input));
  }

  /** Claims the oldest open task that fits the labels. @throws as {@link list}. @throws {FeatureNotInPlan} */
  async claimNext(
    call: Call,
    swarmId: string,
    { labels, ...input }: ClaimInput & { labels: readonly string[] | undefined },
  ): Promise<SwarmTask | undefined> {
    const swarm = await this.swarmOf(call, swarmId, 'agents:run');
    await this.gate.require(swarm.orgId);
    return this.board.claimNext(swarm.id, labels, claimOf(call, input));
  }

  /** @throws as {@link get}. @throws {TaskClaimLost} `task_not_claimed` */
  async renew(call: Call, claim: ClaimReference, leaseSeconds: number): Promise<SwarmTask> {
    return this.board.renew(await this.claimed(call, claim), leaseSeconds);
  }

  /** @throws as {@link renew}. */
  async complete(call: Call, claim: ClaimReference, result: unknown): Promise<SwarmTask> {
    return this.board.complete(await this.claimed(call, claim), result);
  }

  /** @throws as {@link renew}. */
  async fail(call: Call, claim: ClaimReference, failure: Failure & { isFinal: boolean }): Promise<FailedTask> {
    return this.board.fail(await this.claimed(call, claim), failure);
  }

  /** @throws as {@link renew}. */
  async release(call: Call, claim: ClaimReference): Promise<SwarmTask> {
    return this.board.release(await this.claimed(call, claim));
  }

  private async claimed(call: Call, { id, fence }: ClaimReference): Promise<TaskClaim> {
    const { swarmId } = await this.taskOf(call, id, 'agents:run');
    return { id, swarmId, fence };
  }

  private async taskOf({ principal }: Call, id: string, scope: Scope): Promise<SwarmTask> {
    const task = await this.tasks.find(principal.lookupOrgIds, id);
    if (task === undefined) throw new TaskNotFound();
    principal.require(scope, task.orgId);
    return task;
  }

  private async swarmOf({ principal }: Call, id: string, scope: Scope): Promise<Swarm> {
    const swarm = await this.swarms.find(principal.lookupOrgIds, id);
    if (swarm === undefined) throw new SwarmNotFound();
    principal.require(scope, swarm.orgId);
    return swarm;
  }
}

const claimOf = ({ principal }: Call, { name, leaseSeconds }: ClaimInput): NewClaim => ({
  holder: { runId: null, userId: principal.user.id, name: name ?? null },
  leaseSeconds,
});
