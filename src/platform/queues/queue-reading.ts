import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';

export const QUEUE_STATES = ['waiting', 'active', 'delayed', 'failed'] as const;

export interface QueueReading {
  readonly counts: Readonly<Record<(typeof QUEUE_STATES)[number], number>>;
  /** When the oldest waiting job was added, in unix milliseconds; null when none waits. */
  readonly oldestWaitingMs: number | null;
}

/** BullMQ keeps waiting jobs with and without a priority in different places; here they are counted together. */
export async function readQueue(queue: Queue, redis: Redis): Promise<QueueReading> {
  const {
    waiting = 0,
    prioritized = 0,
    active = 0,
    delayed = 0,
    failed = 0,
  } = await queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'failed');
  const [first] = waiting === 0 ? [] : await queue.getJobs(['waiting'], 0, 0, true);
  const times = [first?.timestamp, prioritized === 0 ? undefined : await oldestPrioritized(queue, redis)].filter(
    (time) => time !== undefined,
  );
  return {
    counts: { waiting: waiting + prioritized, active, delayed, failed },
    oldestWaitingMs: times.length === 0 ? null : Math.min(...times),
  };
}

/** Jobs with a priority are not sorted by age. */
async function oldestPrioritized(queue: Queue, redis: Redis): Promise<number | undefined> {
  const timestamps = `${queue.toKey('*')}->timestamp`;
  const [oldest] = (await redis.sort(
    queue.toKey('prioritized'),
    'BY',
    timestamps,
    'LIMIT',
    0,
    1,
    'GET',
    timestamps,
  )) as (string | null)[];
  return oldest == null ? undefined : Number(oldest);
}
