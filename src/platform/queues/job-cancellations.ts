import { Injectable } from '@nestjs/common';
import { RedisConnections } from '../redis/redis-connections.js';

const CHANNEL = 'job-cancellations';

/** The reason for ending a job whose caller has disconnected. */
export class JobAbandoned extends Error {
  constructor() {
    super('The caller that waited for the job has disconnected.');
  }
}

/** The reason for ending a job whose worker stops. */
class WorkerStopped extends Error {
  constructor() {
    super('The worker stopped before the job had ended.');
  }
}

/**
 * Notifies the worker of a job that no caller waits for it any longer. A lost message costs only the rest of that job,
 * which ends at its own limits.
 */
@Injectable()
export class JobCancellations {
  private readonly running = new Map<string, AbortController>();
  private listening = false;

  constructor(private readonly redis: RedisConnections) {}

  async cancel(jobId: string): Promise<void> {
    await this.redis
      .producer()
      .publish(CHANNEL, jobId)
      .catch(() => undefined);
  }

  /** Runs `work` with a signal that a cancellation of the job aborts. */
  async during<T>(jobId: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.listen();
    const controller = new AbortController();
    this.running.set(jobId, controller);
    try {
      return await work(controller.signal);
    } finally {
      this.running.delete(jobId);
    }
  }

  /** Aborts every job that runs in this process. */
  endAll(): void {
    for (const controller of this.running.values()) controller.abort(new WorkerStopped());
  }

  private listen(): void {
    if (this.listening) return;
    this.listening = true;
    const subscriber = this.redis.blocking();
    subscriber.on('message', (_channel, jobId) => {
      this.running.get(jobId)?.abort(new JobAbandoned());
    });
    // ioredis subscribes again by itself after a lost connection.
    subscriber.subscribe(CHANNEL).catch(() => {
      this.listening = false;
    });
  }
}
