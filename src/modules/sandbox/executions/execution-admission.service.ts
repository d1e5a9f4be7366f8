import { Injectable } from '@nestjs/common';
import { SandboxSettings } from '../sandbox.settings.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { PLANS } from '../../plans/plan.js';
import { ExecutionsStore } from '../persistence/executions.store.js';
import { type QueuedExecution, SandboxExecution } from '../persistence/sandbox-execution.entity.js';
import type { SandboxFile, SandboxLimits } from '../domain/sandbox-runtime.js';
import { EXECUTION_ID } from '../sandbox.ids.js';
import { type CreateExecutionInput, RETURN_MS } from '../runs/sandbox.service.js';
import { Backlog } from '../workers/backlog.js';
import { ExecutionMoney } from './execution-money.js';
import { OrgPlaces } from './org-places.js';
import { limitsOf, type LimitsInput } from './plan-limits.js';

export interface CreateOrgExecutionInput extends CreateExecutionInput, LimitsInput {
  readonly files: readonly SandboxFile[];
  /** How long it may wait for its turn. */
  readonly queueTimeoutMs: number;
}

/** What an execution would be given. */
export interface Rehearsal {
  readonly limits: SandboxLimits;
  /** With its whole time limit used. */
  readonly maxCostNano: bigint;
}

/** Lets executions of organizations in, within what their plan allows. */
@Injectable()
export class ExecutionAdmissionService {
  constructor(
    private readonly settings: SandboxSettings,
    private readonly backlog: Backlog,
    private readonly places: OrgPlaces,
    private readonly executions: ExecutionsStore,
    private readonly money: ExecutionMoney,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * What an execution would be given, and may cost, if there is room for it now.
   *
   * @throws {ExecutionBeyondPlan} `invalid_request`
   * @throws {SandboxUnavailable} `sandbox_unavailable`
   * @throws {CreditsExhausted} `credits_exhausted`
   * @throws {SpendCapReached} `spend_cap_reached`
   */
  async rehearse(call: Call, input: CreateOrgExecutionInput): Promise<Rehearsal> {
    const limits = await this.check(call, input);
    return { limits, maxCostNano: await this.money.rehearse(call.org.id, call.org.plan, limits) };
  }

  /**
   * Makes the row of an execution, queued, and takes a place and holds money for it, until it is over.
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
        keyId: principal.credential.type === 'api_key' ? principal.credential.keyId : null,
        language: input.language,
        limits,
      },
      { at: createdAt, givesUpAt: new Date(createdAt.getTime() + input.queueTimeoutMs + RETURN_MS) },
    );
    await this.places.take(org.id, execution.id, PLANS[org.plan], input.queueTimeoutMs + limits.timeoutMs + RETURN_MS);
    try {
      await this.money.hold(execution, org.plan, () => this.executions.add(execution));
      return execution;
    } catch (error) {
      await this.places.free(org.id, execution.id);
      throw error;
    }
  }

  private async check({ org }: Call, input: CreateOrgExecutionInput): Promise<SandboxLimits> {
    const limits = limitsOf(PLANS[org.plan], input, this.settings);
    await this.backlog.requireRoom(org.id, input.queueTimeoutMs);
    return limits;
  }
}
