import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import { CallerHungUp } from '../../../platform/errors/caller-hung-up.js';
import { AwaitedJobs, JobFailed, JobUnanswered } from '../../../platform/queues/awaited-jobs.js';
import { DirectJobs } from '../../../platform/queues/direct-jobs.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { isOver } from '../domain/execution-state.js';
import { type SandboxPayload, sandboxJob } from '../jobs/sandbox.job.js';
import { ExecutionsStore, type ListedExecution } from '../persistence/executions.store.js';
import type { QueuedExecution, SandboxExecution } from '../persistence/sandbox-execution.entity.js';
import { ExecutionAlreadyOver, ExecutionNotFound, SandboxUnavailable } from '../sandbox.errors.js';
import { RETURN_MS } from '../runs/sandbox.service.js';
import { Backlog } from '../workers/backlog.js';
import {
  ExecutionAdmissionService,
  type CreateOrgExecutionInput,
  type Rehearsal,
} from './execution-admission.service.js';
import { DatabasePatience } from './database-patience.js';
import { ExecutionEnds } from './execution-ends.js';
import { OrgPlaces } from './org-places.js';

/** Runs code for organizations, and remembers how it went. */
@Injectable()
export class ExecutionsService {
  constructor(
    private readonly admission: ExecutionAdmissionService,
    private readonly executions: ExecutionsStore,
    private readonly ends: ExecutionEnds,
    private readonly awaited: AwaitedJobs,
    private readonly jobs: DirectJobs,
    private readonly places: OrgPlaces,
    private readonly backlog: Backlog,
    private readonly patience: DatabasePatience,
    private readonly clock: Clock,
  ) {}

  /**
   * What {@link run} and {@link start} would give the execution; runs nothing.
   *
   * @throws {ExecutionBeyondPlan} `invalid_request`
   * @throws {CreditsExhausted} `credits_exhausted`
   * @throws {SpendCapReached} `spend_cap_reached`
   * @throws {SandboxUnavailable} `sandbox_unavailable`
   */
  rehearse(call: Call, page: CreateOrgExecutionInput): Promise<Rehearsal> {
    return this.admission.rehearse(call, page);
  }

  /**
   * Runs code and waits for its end. When `signal` is aborted the run is ended.
   *
   * @throws {ExecutionBeyondPlan} `invalid_request`
   * @throws {SandboxConcurrencyLimitExceeded} `concurrency_limit_exceeded`
   * @throws {CreditsExhausted} `credits_exhausted`
   * @throws {SpendCapReached} `spend_cap_reached`
   * @throws {SandboxUnavailable} `sandbox_unavailable`, also when the platform lost the run.
   */
  async run(call: Call, page: CreateOrgExecutionInput, signal: AbortSignal): Promise<SandboxExecution> {
    const execution = await this.admission.admit(call, page);
    let fault: unknown;
    try {
      await this.awaited.run<SandboxPayload, null>(sandboxJob, this.jobOf(execution, page), {
        jobId: execution.id,
        subject: execution.orgId,
        startWithinMs: page.queueTimeoutMs,
        finishWithinMs: execution.limits.timeoutMs + RETURN_MS,
        signal,
      });
    } catch (error) {
      await this.giveUp(execution, error instanceof CallerHungUp);
      if (error instanceof JobUnanswered && !error.hadBegun)
        throw await this.backlog.refusal(execution.orgId, page.queueTimeoutMs, error);
      if (!(error instanceof JobFailed || error instanceof JobUnanswered)) throw error;
      fault = error;
    }
    const ended = await this.patience.during(() => this.executions.get(execution.id));
    // Somebody may have cancelled it, which ends its job as a failure would.
    if (ended.status === 'lost') throw new SandboxUnavailable([], fault);
    return ended;
  }

  /**
   * Queues code to be run when nobody waits for it. Once this resolves it outlives this process.
   *
   * @throws as {@link run}.
   */
  async start(call: Call, page: CreateOrgExecutionInput): Promise<QueuedExecution> {
    const execution = await this.admission.admit(call, page);
    try {
      await this.jobs.add(sandboxJob, {
        jobId: execution.id,
        payload: this.jobOf(execution, page),
        subject: execution.orgId,
      });
    } catch (error) {
      // The job may be there all the same: then its worker finds that it was given up.
      await this.giveUp(execution, false);
      throw error;
    }
    return execution;
  }

  /**
   * @throws {ExecutionNotFound} `execution_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async get({ principal }: Call, id: string): Promise<SandboxExecution> {
    const execution = await this.executions.find(id, principal.orgIds);
    if (execution === null) throw new ExecutionNotFound();
    principal.require('sandbox:execute', execution.orgId);
    return execution;
  }

  /** Those of the organization of the call, the newest first, without what they printed. */
  list({ org }: Call, page: PageRequest): Promise<Page<ListedExecution>> {
    return this.executions.list(org.id, page);
  }

  /**
   * Ends an execution that waits or runs. From then on it is cancelled, whatever its worker may still say.
   *
   * @throws as {@link get}.
   * @throws {ExecutionAlreadyOver} `execution_already_over`
   */
  async cancel(call: Call, id: string): Promise<SandboxExecution> {
    const { orgId } = await this.requireCancellable(call, id);
    const wasLive = await this.ends.cancel(id);
    const execution = await this.executions.get(id);
    if (!wasLive) throw new ExecutionAlreadyOver(execution.status);
    // The place of one that runs is freed by its worker, when it really has ended.
    if (await this.jobs.end(sandboxJob, id, orgId)) await this.places.free(orgId, id);
    return execution;
  }

  /** What {@link cancel} would answer; changes nothing. */
  async rehearseCancel(call: Call, id: string): Promise<SandboxExecution> {
    return (await this.requireCancellable(call, id)).cancelled(this.clock.now());
  }

  private async requireCancellable(call: Call, id: string): Promise<SandboxExecution> {
    const execution = await this.get(call, id);
    if (isOver(execution.status)) throw new ExecutionAlreadyOver(execution.status);
    return execution;
  }

  private async giveUp({ id, orgId }: QueuedExecution, byItsCaller: boolean): Promise<void> {
    await this.patience.during(() => (byItsCaller ? this.ends.cancel(id) : this.ends.giveUp(id)));
    await this.places.free(orgId, id);
  }

  private jobOf(
    { id, orgId, limits, givesUpAt }: QueuedExecution,
    { language, code, stdin, files }: CreateOrgExecutionInput,
  ): SandboxPayload {
    return {
      executionId: id,
      recordedFor: orgId,
      language,
      code,
      stdin,
      files: [...files],
      limits,
      startBeforeMs: givesUpAt.getTime(),
    };
  }
}
