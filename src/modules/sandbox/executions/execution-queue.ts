import { Injectable } from '@nestjs/common';
import { AwaitedJobs } from '../../../platform/queues/awaited-jobs.js';
import { DirectJobs } from '../../../platform/queues/direct-jobs.js';
import { wantedBy } from '../domain/packages.js';
import { JobCancellations } from '../../../platform/queues/job-cancellations.js';
import { type SandboxPayload, sandboxJob } from '../jobs/sandbox.job.js';
import { type EndedRun, type QueuedExecution, SandboxExecution } from '../persistence/sandbox-execution.entity.js';
import { RETURN_MS } from '../runs/sandbox.service.js';
import type { SandboxBusy } from '../sandbox.errors.js';
import { Backlog } from '../workers/backlog.js';
import type { CreateOrgExecutionInput } from './execution-admission.service.js';

/** The output of an execution is kept for this long beside its time limit. */
const OUTPUT_KEPT_MS = 600_000;

/** The queue in which executions of organizations wait for a worker. */
@Injectable()
export class ExecutionQueue {
  constructor(
    private readonly awaited: AwaitedJobs,
    private readonly jobs: DirectJobs,
    private readonly backlog: Backlog,
    private readonly cancellations: JobCancellations,
  ) {}

  /**
   * Adds the execution and waits until its job has ended. An aborted `signal` ends the job. Returns null when only the
   * row of the execution says how it ended.
   *
   * @throws {JobFailed} when the worker failed.
   * @throws {JobUnanswered} when the job did not start or end in time.
   * @throws {CallerHungUp} when `signal` was aborted.
   */
  async runAndWait(
    execution: QueuedExecution,
    input: CreateOrgExecutionInput,
    signal: AbortSignal,
  ): Promise<SandboxExecution | null> {
    const run = await this.awaited.run<SandboxPayload, EndedRun | null>(sandboxJob, payloadOf(execution, input), {
      jobId: execution.id,
      subject: execution.orgId,
      startWithinMs: input.queueTimeoutMs,
      finishWithinMs: execution.limits.timeoutMs + RETURN_MS,
      signal,
      // The row of the execution says whether it has started.
      isRepeatable: true,
    });
    return run === null ? null : SandboxExecution.ended(execution, run);
  }

  /** Adds the execution without waiting for its end. */
  async add(execution: QueuedExecution, input: CreateOrgExecutionInput): Promise<void> {
    await this.jobs.add(sandboxJob, {
      jobId: execution.id,
      payload: payloadOf(execution, input),
      subject: execution.orgId,
    });
  }

  /** Ends the job of an execution. Returns true when no worker had started it. */
  remove(executionId: string, orgId: string): Promise<boolean> {
    return this.jobs.end(sandboxJob, executionId, orgId);
  }

  /** Ends an execution that has no job, because it runs in a session. */
  abandon(executionId: string): Promise<void> {
    return this.cancellations.cancel(executionId);
  }

  /** Creates the error for an execution that was admitted but did not start in time. */
  refusal(
    { orgId }: QueuedExecution,
    { queueTimeoutMs }: CreateOrgExecutionInput,
    cause: unknown,
  ): Promise<SandboxBusy> {
    return this.backlog.refusal(orgId, queueTimeoutMs, cause);
  }
}

const payloadOf = (
  { id, orgId, limits, givesUpAt }: QueuedExecution,
  { language, code, stdin, files, options, packages, isFollowed = false }: CreateOrgExecutionInput,
): SandboxPayload => ({
  executionId: id,
  recordedFor: orgId,
  language,
  code,
  stdin,
  files: [...files],
  ...(options === undefined ? {} : { options }),
  ...(packages === undefined ? {} : { packages: wantedBy(orgId, packages) }),
  limits,
  startBeforeMs: givesUpAt.getTime(),
  ...(isFollowed ? { keepsOutputMs: limits.timeoutMs + OUTPUT_KEPT_MS } : {}),
});
