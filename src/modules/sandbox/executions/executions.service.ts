import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import { CallerHungUp } from '../../../platform/errors/caller-hung-up.js';
import { JobFailed, JobUnanswered } from '../../../platform/queues/awaited-jobs.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { isOver } from '../domain/execution-state.js';
import { ExecutionsStore, type ListedExecution } from '../persistence/executions.store.js';
import type { QueuedExecution, SandboxExecution } from '../persistence/sandbox-execution.entity.js';
import { ExecutionAlreadyOver, ExecutionNotFound, SandboxUnavailable } from '../sandbox.errors.js';
import {
  ExecutionAdmissionService,
  type CreateOrgExecutionInput,
  type Rehearsal,
} from './execution-admission.service.js';
import { DatabaseRetry } from '../../../platform/database/database-retry.js';
import { ExecutionEnds } from './execution-ends.js';
import { ExecutionQueue } from './execution-queue.js';
import { OrgSlots } from './org-slots.js';

/** An execution that runs for as long as its caller waits. */
export interface AwaitedExecution {
  readonly execution: QueuedExecution;
  /** Rejects with {@link SandboxUnavailable} when the platform lost the run, and with the reason of its signal. */
  readonly ended: Promise<SandboxExecution>;
}

/** Runs code for organizations and records how it ended. */
@Injectable()
export class ExecutionsService {
  constructor(
    private readonly admission: ExecutionAdmissionService,
    private readonly executions: ExecutionsStore,
    private readonly ends: ExecutionEnds,
    private readonly queue: ExecutionQueue,
    private readonly slots: OrgSlots,
    private readonly databaseRetry: DatabaseRetry,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the limits and the highest cost that {@link run} and {@link start} would set. Runs nothing.
   *
   * @throws {ExecutionBeyondPlan} `invalid_request`
   * @throws {ExecutionNetworkOff} `feature_disabled`
   * @throws {CreditsExhausted} `credits_exhausted`
   * @throws {SpendCapReached} `spend_cap_reached`
   * @throws {BudgetExceeded} `budget_exceeded`
   * @throws {SandboxUnavailable} `sandbox_unavailable`
   */
  rehearse(call: Call, input: CreateOrgExecutionInput): Promise<Rehearsal> {
    return this.admission.rehearse(call, input);
  }

  /**
   * Runs code and waits for its end. An aborted `signal` ends the run.
   *
   * @throws {EffectAlreadyBegun}
   * @throws {ExecutionBeyondPlan} `invalid_request`
   * @throws {ExecutionNetworkOff} `feature_disabled`
   * @throws {ExecutionPackagesRefused} `package_install_failed`
   * @throws {PackagesUnavailable} `packages_unavailable`
   * @throws {SandboxConcurrencyLimitExceeded} `concurrency_limit_exceeded`
   * @throws {CreditsExhausted} `credits_exhausted`
   * @throws {SpendCapReached} `spend_cap_reached`
   * @throws {BudgetExceeded} `budget_exceeded`
   * @throws {SandboxUnavailable} `sandbox_unavailable`, also when the platform lost the run.
   */
  async run(call: Call, input: CreateOrgExecutionInput, signal: AbortSignal): Promise<SandboxExecution> {
    return (await this.begin(call, input, signal)).ended;
  }

  /**
   * Runs code and returns the execution as soon as it is admitted.
   *
   * @throws as {@link run}.
   */
  async begin(call: Call, input: CreateOrgExecutionInput, signal: AbortSignal): Promise<AwaitedExecution> {
    const execution = await this.admission.admit(call, input);
    return { execution, ended: this.runAdmitted(execution, input, signal) };
  }

  /**
   * Runs code somewhere else than on a worker that is free. `work` resolves when the row says how it ended, and ends
   * the run when it rejects.
   *
   * @throws as {@link run}, until the execution is admitted; then `ended` rejects with what `work` throws.
   */
  async beginElsewhere(
    call: Call,
    input: CreateOrgExecutionInput,
    work: (execution: QueuedExecution) => Promise<void>,
  ): Promise<AwaitedExecution> {
    const execution = await this.admission.admit(call, input);
    return { execution, ended: this.workAdmitted(execution, work) };
  }

  /**
   * Hands code over to run somewhere else than on a worker that is free, without a waiting caller. Once `hand` has
   * resolved, the execution survives the end of this process.
   *
   * @throws as {@link run}, and what `hand` throws.
   */
  async startElsewhere(
    call: Call,
    input: CreateOrgExecutionInput,
    hand: (execution: QueuedExecution) => Promise<void>,
  ): Promise<QueuedExecution> {
    const execution = await this.admission.admit(call, input);
    await this.orGiveUp(execution, () => hand(execution));
    return execution;
  }

  /**
   * Queues code to run without a waiting caller. Once this resolves, the execution survives the end of this process.
   * An aborted `signal` keeps an execution that is not yet written from being queued.
   *
   * @throws as {@link run}.
   */
  async start(call: Call, input: CreateOrgExecutionInput, signal?: AbortSignal): Promise<QueuedExecution> {
    const execution = await this.admission.admit(call, input, signal);
    try {
      await this.queue.add(execution, input);
    } catch (error) {
      // The job may have been added despite the error. Its worker then finds that the execution was given up.
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
    const execution = await this.executions.find(id, principal.lookupOrgIds);
    if (execution === null) throw new ExecutionNotFound();
    principal.require('sandbox:execute', execution.orgId);
    return execution;
  }

  /** Returns the executions of the caller's organization, newest first, without their output. */
  list({ org }: Call, page: PageRequest): Promise<Page<ListedExecution>> {
    return this.executions.list(org.id, page);
  }

  /**
   * Cancels a queued or running execution. It stays cancelled, whatever its worker reports afterwards.
   *
   * @throws as {@link get}.
   * @throws {ExecutionAlreadyOver} `execution_already_over`
   */
  async cancel(call: Call, id: string): Promise<SandboxExecution> {
    const { orgId, sessionId } = await this.requireCancellable(call, id);
    const wasLive = await this.ends.cancel(id);
    const execution = await this.executions.get(id);
    if (!wasLive) throw new ExecutionAlreadyOver(execution.status);
    // The worker frees the slot of a running execution when the run has really ended.
    if (sessionId !== null) await this.queue.abandon(id);
    else if (await this.queue.remove(id, orgId)) await this.slots.free(orgId, id);
    return execution;
  }

  /** Returns what {@link cancel} would return. Changes nothing. */
  async rehearseCancel(call: Call, id: string): Promise<SandboxExecution> {
    return (await this.requireCancellable(call, id)).cancelled(this.clock.now());
  }

  private async runAdmitted(
    execution: QueuedExecution,
    input: CreateOrgExecutionInput,
    signal: AbortSignal,
  ): Promise<SandboxExecution> {
    let fault: unknown;
    try {
      const ended = await this.queue.runAndWait(execution, input, signal);
      if (ended !== null) return ended;
    } catch (error) {
      await this.giveUp(execution, error instanceof CallerHungUp);
      if (error instanceof JobUnanswered && !error.hadBegun) throw await this.queue.refusal(execution, input, error);
      if (!(error instanceof JobFailed || error instanceof JobUnanswered)) throw error;
      fault = error;
    }
    const ended = await this.databaseRetry.run(() => this.executions.get(execution.id));
    // A cancelled execution ends its job like a failed one, so only `lost` is a failure of the platform.
    if (ended.status === 'lost') throw new SandboxUnavailable([], fault);
    return ended;
  }

  private async workAdmitted(
    execution: QueuedExecution,
    work: (execution: QueuedExecution) => Promise<void>,
  ): Promise<SandboxExecution> {
    await this.orGiveUp(execution, () => work(execution));
    const ended = await this.databaseRetry.run(() => this.executions.get(execution.id));
    if (ended.status === 'lost') throw new SandboxUnavailable([]);
    // Then no worker has had it to free its slot.
    if (ended.startedAt === null) await this.slots.free(ended.orgId, ended.id);
    return ended;
  }

  private async orGiveUp(execution: QueuedExecution, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      await this.giveUp(execution, error instanceof CallerHungUp);
      await this.queue.abandon(execution.id);
      throw error;
    }
  }

  private async requireCancellable(call: Call, id: string): Promise<SandboxExecution> {
    const execution = await this.get(call, id);
    if (isOver(execution.status)) throw new ExecutionAlreadyOver(execution.status);
    return execution;
  }

  private async giveUp({ id, orgId }: QueuedExecution, byItsCaller: boolean): Promise<void> {
    await this.databaseRetry.run(() => (byItsCaller ? this.ends.cancel(id) : this.ends.giveUp(id)));
    await this.slots.free(orgId, id);
  }
}
