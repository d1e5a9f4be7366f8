import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import { AwaitedJobs, JobFailed, JobUnanswered } from '../../../platform/queues/awaited-jobs.js';
import type { Subject } from '../../../platform/queues/job-turns.js';
import type { ClientAddress } from '../../limits/client-address.js';
import { sandboxJob } from '../jobs/sandbox.job.js';
import { Backlog } from '../workers/backlog.js';
import type { Language, RunOptions, SandboxLimits, SandboxOutcome } from '../domain/sandbox-runtime.js';
import { SandboxUnavailable } from '../sandbox.errors.js';

/** All callers without an account share one turn in the queue, in which their addresses take turns. */
const subjectOf = ({ network }: ClientAddress): Subject => ({ name: 'anonymous', member: network });
/** A caller that waits as long, and then for the time limit, has its answer within the usual 60 seconds of clients. */
export const LONGEST_ANONYMOUS_WAIT_MS = 28_000;
/** The result of a run must arrive within this time after its end. */
export const RETURN_MS = 2_000;

export interface CreateExecutionInput {
  readonly language: Language;
  readonly code: string;
  readonly stdin: string;
  readonly options?: RunOptions;
  /** True when the output is followed while the code runs. */
  readonly isFollowed?: boolean;
}

/** What a caller without an account asks for. */
export interface AnonymousExecutionInput extends CreateExecutionInput {
  /** The longest time that the run may wait in the queue. */
  readonly queueTimeoutMs: number;
}

/** A run, and the address that takes its turn. */
export interface AnonymousRun {
  readonly id: string;
  readonly address: ClientAddress;
}

export interface Execution {
  readonly id: string;
  readonly language: Language;
  /** The time that the run waited for a worker. */
  readonly queueMs: number;
  readonly outcome: SandboxOutcome;
}

/** The result that a worker returns. */
export interface ExecutionResult {
  readonly queueMs: number;
  readonly outcome: SandboxOutcome;
}

/** The longest that {@link SandboxService.execute} can take. */
export const longestExecutionMs = ({ timeoutMs }: SandboxLimits): number =>
  LONGEST_ANONYMOUS_WAIT_MS + timeoutMs + RETURN_MS;

/** Runs code on a worker for an unauthenticated caller that waits for the result. */
@Injectable()
export class SandboxService {
  constructor(
    private readonly backlog: Backlog,
    private readonly jobs: AwaitedJobs,
    private readonly clock: Clock,
  ) {}

  /** @throws {SandboxUnavailable} `sandbox_unavailable`: no worker can run code, or the wait would be too long. */
  requireRoom(address: ClientAddress, withinMs: number): Promise<void> {
    return this.backlog.requireRoom(subjectOf(address), withinMs);
  }

  /**
   * Runs the code and waits for its end. An aborted `signal` ends the run.
   *
   * @throws {SandboxUnavailable} `sandbox_unavailable` when the platform could not run the code or lost the run.
   * @throws {SandboxBusy} `sandbox_unavailable` when the run did not start in time.
   */
  async execute(
    { id, address }: AnonymousRun,
    { language, code, stdin, options, queueTimeoutMs, isFollowed = false }: AnonymousExecutionInput,
    limits: SandboxLimits,
    signal?: AbortSignal,
  ): Promise<Execution> {
    const subject = subjectOf(address);
    const startBeforeMs = this.clock.now().getTime() + queueTimeoutMs;
    const job = {
      executionId: id,
      language,
      code,
      stdin,
      ...(options === undefined ? {} : { options }),
      limits,
      startBeforeMs,
      ...(isFollowed ? { keepsOutputMs: limits.timeoutMs + RETURN_MS } : {}),
    };
    try {
      const patience = {
        startWithinMs: queueTimeoutMs,
        finishWithinMs: limits.timeoutMs + RETURN_MS,
        subject,
        signal,
      };
      const { queueMs, outcome } = await this.jobs.run<typeof job, ExecutionResult>(sandboxJob, job, patience);
      return { id, language, queueMs, outcome };
    } catch (error) {
      if (error instanceof JobUnanswered && !error.hadBegun)
        throw await this.backlog.refusal(subject, queueTimeoutMs, error);
      if (error instanceof JobFailed || error instanceof JobUnanswered) throw new SandboxUnavailable([], error);
      throw error;
    }
  }
}
