import { Injectable } from '@nestjs/common';
import { SandboxSettings } from '../sandbox.settings.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import type { Credential } from '../../auth/principal.js';
import { PLANS } from '../../plans/plan.js';
import { ExecutionsStore } from '../persistence/executions.store.js';
import { type QueuedExecution, SandboxExecution } from '../persistence/sandbox-execution.entity.js';
import type { SandboxFile, SandboxLimits } from '../domain/sandbox-runtime.js';
import { EXECUTION_ID } from '../sandbox.ids.js';
import { type CreateExecutionInput, RETURN_MS } from '../runs/sandbox.service.js';
import { Backlog } from '../workers/backlog.js';
import { ExecutionBilling } from './execution-billing.js';
import { OrgSlots } from './org-slots.js';
import { limitsOf, type LimitsInput } from './plan-limits.js';

export interface CreateOrgExecutionInput extends CreateExecutionInput, LimitsInput {
  readonly files: readonly SandboxFile[];
  /** The longest time that the execution may wait in the queue. */
  readonly queueTimeoutMs: number;
  /** See {@link SandboxExecution.effectKey}. */
  readonly effectKey?: string;
  /** The session in which it runs, instead of a worker that is free. */
  readonly sessionId?: string;
}

/** The limits and the highest cost that an execution would have. */
export interface Rehearsal {
  readonly limits: SandboxLimits;
  /** The price of the whole time limit. */
  readonly maxCostNano: bigint;
}

/** Admits executions of organizations within the limits of their plan. */
@Injectable()
export class ExecutionAdmissionService {
  constructor(
    private readonly settings: SandboxSettings,
    private readonly backlog: Backlog,
    private readonly slots: OrgSlots,
    private readonly executions: ExecutionsStore,
    private readonly billing: ExecutionBilling,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the limits and the highest cost of an execution, if it could be admitted now.
   *
   * @throws {ExecutionBeyondPlan} `invalid_request`
   * @throws {SandboxUnavailable} `sandbox_unavailable`
   * @throws {BudgetExceeded} `budget_exceeded`
   * @throws {CreditsExhausted} `credits_exhausted`
   * @throws {SpendCapReached} `spend_cap_reached`
   */
  async rehearse(call: Call, input: CreateOrgExecutionInput): Promise<Rehearsal> {
    const limits = await this.check(call, input);
    const { org, principal } = call;
    const of = { orgId: org.id, keyId: keyIdOf(principal.credential), limits, budgetSubjects: call.budgetSubjects };
    return { limits, maxCostNano: await this.billing.rehearse(of, org.plan) };
  }

  /**
   * Writes a queued execution. It occupies a concurrency slot and holds its highest cost until it ends.
   *
   * @throws as {@link rehearse}.
   * @throws {SandboxConcurrencyLimitExceeded} `concurrency_limit_exceeded`
   */
  async admit(call: Call, input: CreateOrgExecutionInput): Promise<QueuedExecution> {
    const limits = await this.check(call, input);
    const { principal, org } = call;
    const createdAt = this.clock.now();
    const execution = SandboxExecution.queued(
      {
        id: this.ids.next(EXECUTION_ID),
        orgId: org.id,
        userId: principal.user.id,
        keyId: keyIdOf(principal.credential),
        effectKey: input.effectKey ?? null,
        sessionId: input.sessionId ?? null,
        language: input.language,
        limits,
      },
      { at: createdAt, givesUpAt: new Date(createdAt.getTime() + input.queueTimeoutMs + RETURN_MS) },
    );
    await this.slots.take(org.id, execution.id, PLANS[org.plan], input.queueTimeoutMs + limits.timeoutMs + RETURN_MS);
    try {
      const { budgetSubjects } = call;
      await this.billing.hold({ ...execution, budgetSubjects }, org.plan, () => this.executions.add(execution));
      return execution;
    } catch (error) {
      await this.slots.free(org.id, execution.id);
      throw error;
    }
  }

  private async check({ org }: Call, input: CreateOrgExecutionInput): Promise<SandboxLimits> {
    const limits = limitsOf(PLANS[org.plan], input, this.settings);
    if (input.sessionId === undefined) await this.backlog.requireRoom(org.id, input.queueTimeoutMs);
    return limits;
  }
}

const keyIdOf = (credential: Credential): string | null => (credential.type === 'api_key' ? credential.keyId : null);
