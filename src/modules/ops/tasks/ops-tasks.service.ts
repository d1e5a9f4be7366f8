import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import { OpsTaskNotFound, TaskAlreadyClaimed, TaskAlreadyResolved, TaskNotClaimed } from '../ops.errors.js';
import { TASK_EVENT_ID } from '../ops.ids.js';
import type { OpsTaskEvent } from '../persistence/ops-task-event.entity.js';
import type { OpsTask } from '../persistence/ops-task.entity.js';
import { OpsTasksStore, type TaskFilter } from '../persistence/ops-tasks.store.js';

export interface TaskHistory {
  readonly task: OpsTask;
  readonly events: readonly OpsTaskEvent[];
}

/**
 * Manages the tasks of operators: `open → claimed → resolved`, and back to `open` when a claim is released or expires.
 * Each transition is one conditional statement, with its event in the same transaction, so that exactly one of several
 * racing agents succeeds.
 */
@Injectable()
export class OpsTasksService {
  constructor(
    private readonly database: Database,
    private readonly tasks: OpsTasksStore,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  list(filter: TaskFilter, page: PageRequest): Promise<Page<OpsTask>> {
    return this.tasks.list(filter, page);
  }

  /** @throws {OpsTaskNotFound} `ops_task_not_found` */
  async get(id: string): Promise<TaskHistory> {
    const task = await this.existing(id);
    return { task, events: await this.tasks.events(id) };
  }

  /**
   * Claims the task, or extends the claim of the same agent.
   *
   * @throws {OpsTaskNotFound} `ops_task_not_found`
   * @throws {TaskAlreadyClaimed} `task_already_claimed`
   * @throws {TaskAlreadyResolved} `task_already_resolved`
   */
  claim(id: string, agent: string, leaseSeconds: number): Promise<OpsTask> {
    return this.change(id, agent, { kind: 'claimed', details: { leaseSeconds } }, (now) =>
      this.tasks.claim(id, agent, later(now, leaseSeconds), now),
    );
  }

  /** Extends a claim. @throws as {@link claim}, and {TaskNotClaimed} `task_not_claimed` */
  heartbeat(id: string, agent: string, leaseSeconds: number): Promise<OpsTask> {
    return this.change(id, agent, null, (now) => this.tasks.prolong(id, agent, later(now, leaseSeconds), now));
  }

  /** Releases a claim. @throws as {@link heartbeat} */
  release(id: string, agent: string): Promise<OpsTask> {
    return this.change(id, agent, { kind: 'released', details: {} }, (now) => this.tasks.release(id, agent, now));
  }

  /** Resolves a task that the agent holds or that is unclaimed. @throws as {@link claim} */
  resolve(id: string, agent: string, resolution: string): Promise<OpsTask> {
    return this.change(id, agent, { kind: 'resolved', details: { resolution } }, (now) =>
      this.tasks.resolve(id, agent, resolution, now),
    );
  }

  /** Silences a task for a while. @throws as {@link claim} */
  silence(id: string, agent: string, seconds: number): Promise<OpsTask> {
    return this.change(id, agent, { kind: 'silenced', details: { seconds } }, (now) =>
      this.tasks.silence(id, later(now, seconds), now),
    );
  }

  /**
   * Adds a note, which is possible for any agent and also for resolved tasks.
   *
   * @throws {OpsTaskNotFound} `ops_task_not_found`
   */
  note(id: string, agent: string, text: string): Promise<OpsTask> {
    return this.change(id, agent, { kind: 'noted', details: { text } }, () => Promise.resolve(true));
  }

  private change(
    id: string,
    agent: string,
    event: Pick<OpsTaskEvent, 'kind' | 'details'> | null,
    make: (now: Date) => Promise<boolean>,
  ): Promise<OpsTask> {
    return this.database.transaction(async () => {
      const now = this.clock.now();
      const before = await this.existing(id);
      if (!(await make(now))) throw refusalOf(await this.existing(id), agent);
      // A repeated claim by the same agent changes nothing and is not recorded.
      const isRepeat = event?.kind === 'claimed' && before.claimedBy === agent;
      if (event !== null && !isRepeat)
        await this.tasks.record({ id: this.ids.next(TASK_EVENT_ID), taskId: id, actor: agent, at: now, ...event });
      return this.existing(id);
    });
  }

  private async existing(id: string): Promise<OpsTask> {
    const task = await this.tasks.find(id);
    if (task === null) throw new OpsTaskNotFound();
    return task;
  }
}

function refusalOf(task: OpsTask, agent: string): Error {
  if (task.resolvedAt !== null) return new TaskAlreadyResolved(task.resolvedAt, task.resolvedBy ?? '');
  if (task.claimedBy !== null && task.claimedBy !== agent)
    return new TaskAlreadyClaimed(task.claimedBy, task.claimExpiresAt!);
  return new TaskNotClaimed();
}

const later = (now: Date, seconds: number): Date => new Date(now.getTime() + seconds * 1000);
