import { Injectable } from '@nestjs/common';
import { QueueEvents } from 'bullmq';
import { Ids } from '../ids/ids.js';
import { Shutdown } from '../lifecycle/shutdown.js';
import { RedisConnections } from '../redis/redis-connections.js';
import { DirectJobs } from './direct-jobs.js';
import type { Subject } from './job-turns.js';
import { type HandedOver, LocalJobs } from './local-jobs.js';
import type { JobDefinition } from '../background/define-job.js';
import { JOB_ID } from '../ids/platform.ids.js';

export const RESULT_TTL_SECONDS = 60;
export const resultKeyOf = (jobId: string): string => `job-result:${jobId}`;

/** The job failed in its worker, its worker died, or the job was removed from the queue. */
export class JobFailed extends Error {}

/** No worker answered within the time that the caller allowed. */
export class JobUnanswered extends Error {
  constructor(
    message: string,
    /** False when the job was still waiting. It then never runs. */
    readonly hadBegun: boolean,
  ) {
    super(message);
  }
}

interface Patience {
  /** How long the job may wait for a worker; a job that has not begun by then never does. */
  readonly startWithinMs: number;
  /** How long it may take once it has begun. */
  readonly finishWithinMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Set for a job that other code may end with `DirectJobs.end`. */
  readonly jobId?: string;
  /** See `DirectJob`. */
  readonly subject?: Subject;
  /** True when the handler knows whether the job has begun, so that it may run again after its worker died. */
  readonly isRepeatable?: boolean;
}

type Waiter = (happened: 'active' | 'postponed' | 'completed' | 'failed', reason?: string) => void;

/**
 * Runs a job and waits for its result, for work that a caller is waiting for. One listener and one map of waiters serve
 * a whole queue. BullMQ's own `waitUntilFinished` adds listeners for each call and loses results when jobs are removed
 * as they end; here, results have keys of their own for a minute.
 */
@Injectable()
export class AwaitedJobs {
  private readonly waiters = new Map<string, Waiter>();
  private readonly listeners = new Map<string, QueueEvents>();

  constructor(
    private readonly jobs: DirectJobs,
    private readonly local: LocalJobs,
    private readonly redis: RedisConnections,
    private readonly ids: Ids,
    shutdown: Shutdown,
  ) {
    shutdown.at('queues', () => this.close());
  }

  /** Begins to listen for results of the queue, so that the first call need not wait for the listener. */
  async listen(queue: Pick<JobDefinition<object>, 'name'>): Promise<void> {
    await this.listenerOf(queue.name).waitUntilReady();
  }

  /**
   * Runs the job and ends it when `signal` is aborted or the time is over, because no caller waits for it then.
   * @throws {JobFailed} when the worker failed or died.
   * @throws {JobUnanswered} when no worker took the job, or none finished it, in time.
   * @throws the reason of `signal` when it is aborted.
   */
  async run<Payload extends object, Result>(
    queue: JobDefinition<Payload>,
    payload: Payload,
    patience: Patience,
  ): Promise<Result> {
    patience.signal?.throwIfAborted();
    const jobId = patience.jobId ?? this.ids.next(JOB_ID);
    const { ended, forget } = this.waitFor(jobId, patience);
    try {
      const handed = await this.handOver(queue, { id: jobId, payload }, { ...patience, ended });
      if (handed?.kind === 'ended') return handed.result as Result;
      const changes = handed?.kind === 'postponed' ? handed.changes : {};
      await this.listen(queue);
      await this.jobs.add(queue, { jobId, payload: { ...payload, ...changes }, subject: patience.subject });
      await ended;
      return await this.takeResult<Result>(jobId);
    } catch (error) {
      if (!(error instanceof JobFailed)) await this.jobs.end(queue, jobId, patience.subject);
      throw error;
    } finally {
      forget();
    }
  }

  /** Returns null for a job that has to wait in the queue. @throws as {@link run}. */
  private async handOver(
    queue: JobDefinition<object>,
    job: { readonly id: string; readonly payload: object },
    { ended, isRepeatable = false }: Patience & { readonly ended: Promise<void> },
  ): Promise<HandedOver | null> {
    if (queue.isHandedOver !== true) return null;
    const tell: Waiter = (happened) => this.waiters.get(job.id)?.(happened);
    const handing = this.local.handOver(queue.name, job, () => {
      tell('active');
    });
    if (handing === null) return null;
    // `ended` only rejects meanwhile: the caller hung up, or its patience is over.
    const handed = await Promise.race([handing, ended.then(() => null)]);
    if (handed?.kind === 'failed') throw new JobFailed(handed.reason);
    if (handed?.kind === 'lost' && !isRepeatable) throw new JobFailed('The worker of the job has died.');
    if (handed?.kind === 'postponed' || handed?.kind === 'lost') tell('postponed');
    return handed;
  }

  private waitFor(
    jobId: string,
    { startWithinMs, finishWithinMs, signal }: Patience,
  ): { ended: Promise<void>; forget: () => void } {
    let timer: NodeJS.Timeout | undefined;
    let onAbort: (() => void) | undefined;
    const ended = new Promise<void>((resolve, reject) => {
      onAbort = () => {
        reject(signal!.reason as Error);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      const giveUpAfter = (ms: number, hadBegun: boolean): void => {
        clearTimeout(timer);
        const what = hadBegun ? 'ended' : 'took';
        timer = setTimeout(() => {
          reject(new JobUnanswered(`No worker ${what} the job within ${ms} ms.`, hadBegun));
        }, ms);
      };
      const waitsSinceMs = performance.now();
      giveUpAfter(startWithinMs, false);
      this.waiters.set(jobId, (happened, reason) => {
        if (happened === 'active') giveUpAfter(finishWithinMs, true);
        else if (happened === 'postponed')
          giveUpAfter(Math.max(0, waitsSinceMs + startWithinMs - performance.now()), false);
        else if (happened === 'completed') resolve();
        else reject(new JobFailed(reason));
      });
    });
    // When adding the job fails, this promise is never awaited.
    ended.catch(() => undefined);
    const forget = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort!);
      this.waiters.delete(jobId);
    };
    return { ended, forget };
  }

  private async takeResult<Result>(jobId: string): Promise<Result> {
    const text = await this.redis.producer().getdel(resultKeyOf(jobId));
    if (text === null) throw new JobFailed('The result of the job was lost.');
    return JSON.parse(text) as Result;
  }

  private listenerOf(queueName: string): QueueEvents {
    let listener = this.listeners.get(queueName);
    if (listener === undefined) {
      listener = new QueueEvents(queueName, { connection: this.redis.blocking() });
      listener.on('error', () => undefined);
      listener.on('active', ({ jobId }) => {
        this.waiters.get(jobId)?.('active');
      });
      listener.on('delayed', ({ jobId }) => {
        this.waiters.get(jobId)?.('postponed');
      });
      listener.on('completed', ({ jobId }) => {
        this.waiters.get(jobId)?.('completed');
      });
      listener.on('failed', ({ jobId, failedReason }) => {
        this.waiters.get(jobId)?.('failed', failedReason);
      });
      // The event is sent for waiting jobs only; ended jobs are removed without one.
      listener.on('removed', ({ jobId }) => {
        this.waiters.get(jobId)?.('failed', 'The job was removed from its queue.');
      });
      this.listeners.set(queueName, listener);
    }
    return listener;
  }

  private async close(): Promise<void> {
    await Promise.all([...this.listeners.values()].map((listener) => listener.close()));
  }
}
