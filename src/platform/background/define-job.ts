import type { Type } from '@nestjs/common';
import type { Settings } from '../config/settings.js';

/** A job is one value: its queue, its payload and how it is retried. The producer and the handler both import it. */
export interface JobDefinition<Payload extends object> {
  /**
   * The name of the queue: kebab case and unique among all background work. It never changes, because jobs may wait in
   * the queue.
   */
  readonly name: string;
  /** One sentence that starts with a verb in the third person, for the page on background work. */
  readonly summary: string;
  readonly payload: Type<Payload>;
  /** How often the job is tried in total. Jobs are delivered at least once, so a handler must be safe to run twice. */
  readonly attempts: number;
  /**
   * True when a job with one attempt is delivered again after its worker died. Its handler must know what had already
   * begun.
   */
  readonly redelivers?: boolean;
  /** The delay before the second attempt. It doubles with each further one. */
  readonly backoffMs: number;
  /** How many jobs one worker process runs at the same time. */
  readonly concurrency: number;
  /** Reads the concurrency from a setting. It takes precedence over `concurrency`. */
  readonly concurrencyOf?: (settings: Settings) => number;
  /**
   * True when the module starts and stops the worker itself, as the resources that its jobs need appear and disappear.
   */
  readonly startedByModule?: boolean;
  /**
   * True when a job that a caller waits for goes directly to a worker of the same machine that has a place for it. Only
   * without such a place does it wait in the queue.
   */
  readonly isHandedOver?: boolean;
}

export interface JobContext {
  /** Aborted when the caller that waits for the job disconnects. A job without a waiting caller is never aborted. */
  readonly signal: AbortSignal;
  /** The time from adding the job until a worker took it. */
  readonly waitedMs: number;
  /** True when the result goes to the caller directly, and Redis does not see it. */
  readonly isHandedOver?: boolean;
}

/** Thrown by a handler that could not begin: the job goes back to its queue, and no attempt is counted. */
export class JobPostponed extends Error {
  constructor(
    readonly delayMs: number,
    /** Fields of the payload to replace, for what the handler has learned. */
    readonly changes: object,
    cause: unknown,
  ) {
    super('The job could not begin and waits in its queue again.', { cause });
  }
}

export interface JobHandler<Payload extends object, Result = void> {
  /** Must be safe to run twice with the same payload. */
  handle(payload: Payload, context: JobContext): Promise<Result>;

  /** Called once, after the last attempt has failed. */
  giveUp?(payload: Payload): Promise<void>;
}

export const defineJob = <Payload extends object>(definition: JobDefinition<Payload>): JobDefinition<Payload> =>
  Object.freeze(definition);
