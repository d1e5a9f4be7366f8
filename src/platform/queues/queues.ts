import { Injectable } from '@nestjs/common';
import { Queue } from 'bullmq';
import { Shutdown } from '../lifecycle/shutdown.js';
import { RedisConnections } from '../redis/redis-connections.js';
import type { JobEnvelope } from './job-envelope.js';
import { type QueueReading, readQueue } from './queue-reading.js';

/** The producers of the queues, which share one connection. */
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
        // The version check runs only once: if Redis did not answer at that moment, the queue would refuse everything
        // from then on.
        skipVersionCheck: true,
        skipWaitingForReady: true,
        // The default would keep ten thousand events of a queue for disconnected listeners.
        streams: { events: { maxLen: 1_000 } },
      });
      // Failures reach the caller who adds a job; this listener only keeps them from ending the process.
      queue.on('error', () => undefined);
      this.open.set(name, queue);
    }
    return queue;
  }

  /** The queues that this process uses. */
  all(): Queue<JobEnvelope>[] {
    return [...this.open.values()];
  }

  /** Runs `write`, which adds jobs, and resolves when the replicas of Redis have them. @throws as it does. */
  confirmed<Answer>(write: () => Promise<Answer>): Promise<Answer> {
    return this.redis.confirmed(write);
  }

  /** Returns how many jobs each state has, and since when the oldest one waits. */
  read(queue: Queue): Promise<QueueReading> {
    return readQueue(queue, this.redis.producer());
  }

  private async close(): Promise<void> {
    await Promise.all(this.all().map((queue) => queue.close()));
  }
}
