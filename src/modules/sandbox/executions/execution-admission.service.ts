import { Injectable } from '@nestjs/common';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import type { Credential } from '../../auth/principal.js';
import { PLANS } from '../../plans/plan.js';
import { type QueuedExecution, SandboxExecution } from '../persistence/sandbox-execution.entity.js';
import type { SandboxFile, SandboxLimits } from '../domain/sandbox-runtime.js';
import { EXECUTION_ID } from '../sandbox.ids.js';
import type { PackageChoice } from '../domain/packages.js';
import { LONGEST_INSTALL_WAIT_MS, PackageAdmission } from '../packages/package-admission.js';
import { type CreateExecutionInput, RETURN_MS } from '../runs/sandbox.service.js';
import { AdmissionChecks } from './admission-checks.js';
import { ExecutionBilling } from './execution-billing.js';
import { NewExecutions } from './new-executions.js';
import { OrgSlots } from './org-slots.js';
import type { LimitsInput } from './plan-limits.js';

export interface CreateOrgExecutionInput extends CreateExecutionInput, LimitsInput {
  readonly files: readonly SandboxFile[];
  /** The longest time that the execution may wait in the queue. */
  readonly queueTimeoutMs: number;
  readonly packages?: PackageChoice;
  /** How long it may wait until its packages are installed. The default is what a waiting caller accepts. */
  readonly installWithinMs?: number;
  /** See {@link SandboxExecution.effectKey}. */
  readonly effectKey?: string;
  /** The session in which it runs, instead of a worker that is free. */
  readonly sessionId?: string;
}

/** The limits and the highest cost that an execution would have. */
export interface Rehearsal {
  readonly limits: SandboxLimits;
  /** The price of the whole time limit, of artifacts, and of the longest installation of packages that are new. */
  readonly maxCostNano: bigint;
}

/** Admits executions of organizations within the limits of their plan. */
@Injectable()
export class ExecutionAdmissionService {
  constructor(
    private readonly checks: AdmissionChecks,
    private readonly packages: PackageAdmission,
    private readonly slots: OrgSlots,
    private readonly executions: NewExecutions,
    private readonly billing: ExecutionBilling,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the limits and the highest cost of an execution, if it could be admitted now.
   *
   * @throws {ExecutionBeyondPlan} `invalid_request`
   * @throws {ExecutionNetworkOff} `feature_disabled`
   * @throws {SandboxUnavailable} `sandbox_unavailable`
   * @throws {BudgetExceeded} `budget_exceeded`
   * @throws {CreditsExhausted} `credits_exhausted`
   * @throws {SpendCapReached} `spend_cap_reached`
   */
  async rehearse(call: Call, input: CreateOrgExecutionInput): Promise<Rehearsal> {
    const limits = await this.checks.limitsFor(call, input);
    const { org, principal } = call;
    const of = { orgId: org.id, keyId: keyIdOf(principal.credential), limits, budgetSubjects: call.budgetSubjects };
    // They are held one after the other, so that each has to fit by itself.
    const { packages } = input;
    const installNano = packages === undefined ? 0n : await this.packages.rehearse(call, packages);
    return { limits, maxCostNano: installNano + (await this.billing.rehearse(of, org.plan)) };
  }

  /**
   * Writes a queued execution. It occupies a concurrency slot and holds its highest cost until it ends.
   *
   * @throws as {@link rehearse}.
   * @throws the reason of `signal` when it is aborted before the execution is written.
   * @throws {SandboxConcurrencyLimitExceeded} `concurrency_limit_exceeded`
   * @throws {ExecutionPackagesRefused} `package_install_failed`
   * @throws {PackagesUnavailable} `packages_unavailable`
   */
  async admit(call: Call, input: CreateOrgExecutionInput, signal?: AbortSignal): Promise<QueuedExecution> {
    const limits = await this.checks.limitsFor(call, input);
    const { org } = call;
    const { packages, queueTimeoutMs } = input;
    const { installWithinMs = Math.min(queueTimeoutMs, LONGEST_INSTALL_WAIT_MS) } = input;
    const id = this.ids.next(EXECUTION_ID);
    // It may wait for its packages before it waits in the queue.
    const waitMs = packages === undefined ? queueTimeoutMs : installWithinMs + queueTimeoutMs;
    await this.slots.take(org.id, id, PLANS[org.plan], waitMs + limits.timeoutMs + RETURN_MS);
    try {
      if (packages !== undefined)
        await this.packages.prepare(call, packages, { executionId: id, withinMs: installWithinMs });
      signal?.throwIfAborted();
      return await this.write(call, input, { id, limits });
    } catch (error) {
      await this.slots.free(org.id, id);
      throw error;
    }
  }

  private async write(
    call: Call,
    { language, effectKey, sessionId, queueTimeoutMs, options }: CreateOrgExecutionInput,
    { id, limits }: { readonly id: string; readonly limits: SandboxLimits },
  ): Promise<QueuedExecution> {
    const { principal, org, budgetSubjects } = call;
    const at = this.clock.now();
    const keyId = keyIdOf(principal.credential);
    const execution = SandboxExecution.queued(
      {
        id,
        orgId: org.id,
        userId: principal.user.id,
        keyId,
        effectKey: effectKey ?? null,
        sessionId: sessionId ?? null,
        language,
        limits,
      },
      { at, givesUpAt: new Date(at.getTime() + queueTimeoutMs + RETURN_MS) },
    );
    await this.billing.hold({ ...execution, budgetSubjects }, org.plan, () =>
      this.executions.add(call, execution, options?.allowedHosts),
    );
    return execution;
  }
}

const keyIdOf = (credential: Credential): string | null => (credential.type === 'api_key' ? credential.keyId : null);
