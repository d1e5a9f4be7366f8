import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import { type CreateTaskInput, faultsOfMoreNeeds, placeTasks } from '../domain/task-graph.js';
import { type Failure, isSwarmOver, type Swarm, type SwarmTask } from '../persistence/swarm-rows.js';
import { SwarmTasksStore } from '../persistence/swarm-tasks.store.js';
import { SwarmsStore } from '../persistence/swarms.store.js';
import { type NewClaim, TaskClaimsStore } from '../persistence/task-claims.store.js';
import { BoardRefuses, SwarmAlreadyOver, TaskClaimLost, TaskHeldByAnother, TaskNotOpen } from '../swarms.errors.js';
import { SWARM_TASK_ID } from '../swarms.ids.js';

/** What the results of all tasks of a swarm may take. */
const MAX_RESULT_BYTES = 16 * 1_048_576;
const TOO_LARGE = {
  path: 'result',
  code: 'max_result_bytes',
  message:
    'The results of the tasks of a swarm can have 16 MiB together. Store large data elsewhere, and name the place.',
  expected: { max: MAX_RESULT_BYTES },
};

/** A task that failed, or is open for another attempt. */
export interface FailedTask {
  readonly task: SwarmTask;
  /** The tasks that needed it and were cancelled. */
  readonly cancelled: readonly string[];
}

/** A claim, as its holder names it. */
export interface TaskClaim {
  readonly id: string;
  readonly swarmId: string;
  readonly fence: number;
}

/**
 * The tasks of swarms. A claim is one conditional statement. Whatever changes which tasks can be claimed locks the
 * swarm first, so that needs are never counted twice.
 */
@Injectable()
export class TaskBoard {
  constructor(
    private readonly database: Database,
    private readonly swarms: SwarmsStore,
    private readonly tasks: SwarmTasksStore,
    private readonly claims: TaskClaimsStore,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Adds tasks at once, all or none. `pathOf` returns where a task is in the request, for faults.
   *
   * @throws {SwarmAlreadyOver} `swarm_already_over`
   * @throws {BoardRefuses} `invalid_request`
   */
  add(swarmId: string, inputs: readonly CreateTaskInput[], pathOf: (index: number) => string): Promise<SwarmTask[]> {
    return this.database.transaction(async () => {
      const swarm = await this.lockActive(swarmId);
      const { tasks, faults } = placeTasks(inputs, {
        board: await this.tasks.graph(swarmId),
        nextId: () => this.ids.next(SWARM_TASK_ID),
        pathOf,
      });
      if (faults.length > 0) throw new BoardRefuses(faults);
      await this.tasks.insert(swarm, tasks, this.clock.now());
      await this.swarms.moved(swarmId);
      return this.tasks.all(tasks.map(({ id }) => id));
    });
  }

  /**
   * Adds needs to a task that nobody works on.
   *
   * @throws {SwarmAlreadyOver} `swarm_already_over`
   * @throws {BoardRefuses} `invalid_request`
   * @throws {TaskNotOpen} `task_not_open`
   */
  addNeeds({ id, swarmId, orgId }: SwarmTask, needs: readonly string[]): Promise<SwarmTask> {
    return this.database.transaction(async () => {
      await this.lockActive(swarmId);
      const faults = faultsOfMoreNeeds(id, needs, await this.tasks.graph(swarmId));
      if (faults.length > 0) throw new BoardRefuses(faults);
      await this.tasks.insertNeeds(needs.map((need) => ({ task: id, need })));
      const isChanged = await this.tasks.recount(id);
      const after = (await this.tasks.find([orgId], id))!;
      if (!isChanged) throw new TaskNotOpen(after.state);
      await this.swarms.moved(swarmId);
      return after;
    });
  }

  /**
   * Exactly one of several racing callers gets the task.
   *
   * @throws {TaskHeldByAnother} `task_already_claimed`
   * @throws {TaskNotOpen} `task_not_open`
   */
  async claim({ id, orgId }: Pick<SwarmTask, 'id' | 'orgId'>, claim: NewClaim): Promise<SwarmTask> {
    const claimed = await this.claims.claim(id, claim);
    if (claimed !== undefined) return claimed;
    const { state, leaseExpiresAt } = (await this.tasks.find([orgId], id))!;
    throw state === 'claimed' ? new TaskHeldByAnother(leaseExpiresAt) : new TaskNotOpen(state);
  }

  /** Claims the oldest open task that fits these labels, if there is one. */
  claimNext(swarmId: string, labels: readonly string[] | undefined, claim: NewClaim): Promise<SwarmTask | undefined> {
    return this.claims.claimNext(swarmId, labels, claim);
  }

  /** @throws {TaskClaimLost} `task_not_claimed` */
  async renew({ id, fence }: TaskClaim, leaseSeconds: number): Promise<SwarmTask> {
    return held(await this.claims.renew(id, fence, leaseSeconds));
  }

  /**
   * Opens the tasks that need no other one any more.
   *
   * @throws {TaskClaimLost} `task_not_claimed`
   * @throws {BoardRefuses} `invalid_request`: the results of the swarm are too large together.
   */
  complete({ id, swarmId, fence }: TaskClaim, result: unknown): Promise<SwarmTask> {
    return this.change(swarmId, async () => {
      const task = held(await this.claims.complete(id, fence, result));
      const bytes = result === undefined ? 0 : Buffer.byteLength(JSON.stringify(result));
      if (!(await this.swarms.addResult(swarmId, bytes, MAX_RESULT_BYTES))) throw new BoardRefuses([TOO_LARGE]);
      await this.tasks.needDone(id);
      return task;
    });
  }

  /**
   * Ends an attempt. A task that fails for good cancels the tasks that need it.
   *
   * @throws {TaskClaimLost} `task_not_claimed`
   */
  fail({ id, swarmId, fence }: TaskClaim, failure: Failure & { isFinal: boolean }): Promise<FailedTask> {
    return this.change(swarmId, async () => {
      const task = held(await this.claims.fail(id, fence, failure));
      return { task, cancelled: task.state === 'failed' ? await this.tasks.cancelDependants([id]) : [] };
    });
  }

  /** Opens the task again, as if it had not been claimed. @throws {TaskClaimLost} `task_not_claimed` */
  release({ id, swarmId, fence }: TaskClaim): Promise<SwarmTask> {
    return this.change(swarmId, async () => held(await this.claims.release(id, fence)));
  }

  /** Ends the attempt of a claim whose lease has expired. Does nothing when it was renewed or is over. */
  expire({ id, swarmId, fence }: TaskClaim): Promise<void> {
    return this.change(swarmId, async () => {
      if (await this.claims.failExpired(id, fence)) await this.tasks.cancelDependants([id]);
    });
  }

  /** The tasks that a run holds. */
  heldBy(runId: string): Promise<Pick<SwarmTask, 'id' | 'fence'>[]> {
    return this.claims.heldBy(runId);
  }

  /** Ends the attempts of a run that is over. */
  async giveUp(runId: string, swarmId: string, failure: Failure): Promise<void> {
    for (const { id, fence } of await this.claims.heldBy(runId))
      await this.fail({ id, swarmId, fence }, { ...failure, isFinal: false });
  }

  private change<T>(swarmId: string, work: () => Promise<T>): Promise<T> {
    return this.database.transaction(async () => {
      await this.swarms.moved(swarmId);
      return work();
    });
  }

  private async lockActive(swarmId: string): Promise<Swarm> {
    const swarm = (await this.swarms.lock(swarmId))!;
    if (isSwarmOver(swarm.state)) throw new SwarmAlreadyOver(swarm.state);
    return swarm;
  }
}

function held(task: SwarmTask | undefined): SwarmTask {
  if (task === undefined) throw new TaskClaimLost();
  return task;
}
