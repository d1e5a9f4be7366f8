import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import { AwaitedJobs, JobFailed, JobUnanswered } from '../../../platform/queues/awaited-jobs.js';
import { sandboxJob } from '../jobs/sandbox.job.js';
import { Backlog } from '../workers/backlog.js';
import type { Language, RunOptions, SandboxLimits, SandboxOutcome } from '../domain/sandbox-runtime.js';
import { SandboxUnavailable } from '../sandbox.errors.js';

/** All callers without an account share one turn in the queue. */
const ANONYMOUS = 'anonymous';
/** The longest time that an anonymous run may wait in the queue. */
const MAX_WAIT_MS = 10_000;
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
export const longestExecutionMs = ({ timeoutMs }: SandboxLimits): number => MAX_WAIT_MS + timeoutMs + RETURN_MS;

/** Runs code on a worker for an unauthenticated caller that waits for the result. */
@Injectable()
export class SandboxService {
  constructor(
    private readonly backlog: Backlog,
    private readonly jobs: AwaitedJobs,
    private readonly clock: Clock,
  ) {}

  /** @throws {SandboxUnavailable} `sandbox_unavailable`: no worker can run code, or the wait would be too long. */
  requireRoom(): Promise<void> {
    return this.backlog.requireRoom(ANONYMOUS, MAX_WAIT_MS);
  }

  /**
   * Runs the code and waits for its end. An aborted `signal` ends the run.
   *
   * @throws {SandboxUnavailable} `sandbox_unavailable` when the platform could not run the code or lost the run.
   * @throws {SandboxBusy} `sandbox_unavailable` when the run did not start in time.
   */
  async execute(
    id: string,
    { language, code, stdin, options, isFollowed = false }: CreateExecutionInput,
    limits: SandboxLimits,
    signal?: AbortSignal,
  ): Promise<Execution> {
    const startBeforeMs = this.clock.now().getTime() + MAX_WAIT_MS;
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
        startWithinMs: MAX_WAIT_MS,
        finishWithinMs: limits.timeoutMs + RETURN_MS,
        subject: ANONYMOUS,
        signal,
      };
      const { queueMs, outcome } = await this.jobs.run<typeof job, ExecutionResult>(sandboxJob, job, patience);
      return { id, language, queueMs, outcome };
    } catch (error) {
      if (error instanceof JobUnanswered && !error.hadBegun)
        throw await this.backlog.refusal(ANONYMOUS, MAX_WAIT_MS, error);
      if (error instanceof JobFailed || error instanceof JobUnanswered) throw new SandboxUnavailable([], error);
      throw error;
    }
  }
}
