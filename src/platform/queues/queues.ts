import { Injectable } from '@nestjs/common';
import { Queue } from 'bullmq';
import { Shutdown } from '../lifecycle/shutdown.js';
import { RedisConnections } from '../redis/redis-connections.js';
import type { JobEnvelope } from './job-envelope.js';
import { type QueueReading, readQueue } from './queue-reading.js';

/** The ends of the queues that jobs are put in at; one connection serves them all. */
@Injectable()
export class Queues {
  private readonly open = new Map<string, Queue<JobEnvelope>>();

  constructor(
    private readonly redis: RedisConnections,
    shutdown: Shutdown,
  ) {
    shutdown.at('queues', () => this.close());
  }

  named(name: string): Queue<JobEnvelope> {
    let queue = this.open.get(name);
    if (queue === undefined) {
      queue = new Queue<JobEnvelope>(name, {
        connection: this.redis.producer(),
        // What it would ask first it asks once: should Redis not answer just then, the queue would refuse everything
        // for good.
        skipVersionCheck: true,
        skipWaitingForReady: true,
        // The default keeps the last ten thousand events of a queue for listeners that were away.
        streams: { events: { maxLen: 1_000 } },
      });
      // Its failures reach the caller who adds a job; this only keeps them from ending the process.
      queue.on('error', () => undefined);
      this.open.set(name, queue);
    }
    return queue;
  }

  /** The queues that this process has to do with. */
  all(): Queue<JobEnvelope>[] {
    return [...this.open.values()];
  }

  /** How many jobs there are in each state, and since when the oldest waits. */
  read(queue: Queue): Promise<QueueReading> {
    return readQueue(queue, this.redis.producer());
  }

  private async close(): Promise<void> {
    await Promise.all(this.all().map((queue) => queue.close()));
  }
}
