import { Injectable } from '@nestjs/common';
import { Queues } from '../../../platform/queues/queues.js';
import { Clock } from '../../../platform/time/clock.js';
import { OpsTasksStore } from '../persistence/ops-tasks.store.js';

export interface QueueState {
  readonly name: string;
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  readonly failed: number;
  readonly oldestWaitingSeconds: number;
  readonly paused: boolean;
}

export interface TaskFigures {
  readonly open: number;
  readonly claimed: number;
  readonly resolved24h: number;
  readonly oldestOpenSeconds: number;
  readonly byTag: Readonly<Record<string, number>>;
}

/** Measures the work that waits: jobs in the queues, and tasks for operators. */
@Injectable()
export class OpenWork {
  constructor(
    private readonly queues: Queues,
    private readonly tasks: OpsTasksStore,
    private readonly clock: Clock,
  ) {}

  queueStates(): Promise<QueueState[]> {
    return Promise.all(
      this.queues.all().map(async (queue) => {
        const { counts, oldestWaitingMs } = await this.queues.read(queue);
        const oldestWaitingSeconds = oldestWaitingMs === null ? 0 : this.secondsSince(oldestWaitingMs);
        return { name: queue.name, ...counts, oldestWaitingSeconds, paused: await queue.isPaused() };
      }),
    );
  }

  async taskFigures(): Promise<TaskFigures> {
    const { open, claimed, resolved24h, oldestOpenAt, byTag } = await this.tasks.figures(this.clock.now());
    return {
      open,
      claimed,
      resolved24h,
      oldestOpenSeconds: oldestOpenAt === null ? 0 : this.secondsSince(oldestOpenAt.getTime()),
      byTag,
    };
  }

  private secondsSince(ms: number): number {
    return Math.max(0, Math.round((this.clock.now().getTime() - ms) / 1000));
  }
}
