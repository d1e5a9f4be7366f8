import type { Type } from '@nestjs/common';
import type { Settings } from '../config/settings.js';

/** A job is one value: its queue, what it carries and how it is retried. Both ends import it. */
export interface JobDefinition<Payload extends object> {
  /**
   * Kebab case, unique among all background work; the name of its queue, which never changes, because jobs may wait in
   * it.
   */
  readonly name: string;
  /** One sentence that starts with a verb in the third person, for the page on background work. */
  readonly summary: string;
  readonly payload: Type<Payload>;
  /** Tries in all. Jobs are delivered at least once, so a handler must be safe to run twice. */
  readonly attempts: number;
  /**
   * Whether a job whose worker died is delivered again although it has one attempt: then its handler can tell what had
   * begun.
   */
  readonly redelivers?: boolean;
  /** Wait before the second try; it doubles with each further one. */
  readonly backoffMs: number;
  /** Jobs that one worker process runs at the same time. */
  readonly concurrency: number;
  /** The same where a setting says it; it wins. */
  readonly concurrencyOf?: (settings: Settings) => number;
  /** Whether its module begins and stops to take jobs, as what is needed for them comes and goes. */
  readonly startedByModule?: boolean;
}

export interface JobContext {
  /** Aborted when whoever waits for the job has gone; a job that nobody waits for is never aborted. */
  readonly signal: AbortSignal;
  /** From adding the job until a worker took it. */
  readonly waitedMs: number;
}

/** Thrown by a handler that could not begin: the job goes back to its queue, and no attempt is counted. */
export class JobPostponed extends Error {
  constructor(
    readonly delayMs: number,
    /** What changes in its payload, where the handler has learnt something. */
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
