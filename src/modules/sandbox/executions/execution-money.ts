import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { PlanId } from '../../plans/plan.js';
import { PaidWorkService } from '../../credits/paid-work.service.js';
import type { WorkEstimate } from '../../credits/paid-work.js';
import type { QueuedExecution } from '../persistence/sandbox-execution.entity.js';
import type { SandboxExecution } from '../persistence/sandbox-execution.entity.js';
import type { SandboxLimits } from '../domain/sandbox-runtime.js';

const METER = 'sandbox_compute';

/** Whose money it is about. */
type PaidExecution = Pick<SandboxExecution, 'id' | 'orgId' | 'limits' | 'language'>;

/** What executions of organizations cost: the wall time of their run. */
@Injectable()
export class ExecutionMoney {
  constructor(
    private readonly database: Database,
    private readonly paidWork: PaidWorkService,
  ) {}

  /**
   * What an execution with these limits costs at most, in nano-dollars, if it could begin now; holds nothing.
   *
   * @throws {CreditsExhausted} `credits_exhausted`
   * @throws {SpendCapReached} `spend_cap_reached`
   */
  async rehearse(orgId: string, plan: PlanId, limits: SandboxLimits): Promise<bigint> {
    const { heldNano } = await this.database.rehearse(() =>
      this.paidWork.begin(estimateOf({ orgId, plan, limits, id: `rehearsal:${orgId}` })),
    );
    return heldNano;
  }

  /**
   * Holds the price of its whole time limit with the same transaction that writes it.
   *
   * @throws as {@link rehearse}.
   */
  hold({ id, orgId, limits }: QueuedExecution, plan: PlanId, write: () => Promise<void>): Promise<void> {
    return this.database.transaction(async () => {
      await write();
      await this.paidWork.begin(estimateOf({ id, orgId, plan, limits }));
    });
  }

  /**
   * Pays, with the running transaction, for the time that it ran, at most its time limit: until a run that passes that
   * is ended takes us a moment, which is ours.
   *
   * @returns the cost in nano-dollars; null for one that nothing was held for, because an earlier release let it in.
   */
  async pay({ id, orgId, limits, language }: PaidExecution, ranMs: number): Promise<bigint | null> {
    const [work] = await this.paidWork.find([keyOf(id)]);
    if (work === undefined) return null;
    const quantity = BigInt(Math.min(Math.max(Math.ceil(ranMs), 0), limits.timeoutMs));
    const { costNano } = await this.paidWork.end(work, {
      source: 'sandbox',
      sourceId: id,
      orgId,
      meter: METER,
      quantity,
      occurredAt: work.begunAt,
      properties: { language },
    });
    return costNano;
  }

  /** Of executions that did not run, or of which nobody knows: they cost nothing. With the running transaction. */
  async giveBack(executions: readonly Pick<PaidExecution, 'id' | 'orgId'>[]): Promise<void> {
    await this.paidWork.abandonAll(await this.paidWork.find(executions.map(({ id }) => keyOf(id))));
  }
}

const keyOf = (executionId: string): string => `sandbox:${executionId}`;

const estimateOf = ({
  id,
  orgId,
  plan,
  limits,
}: {
  id: string;
  orgId: string;
  plan: PlanId;
  limits: SandboxLimits;
}): WorkEstimate => ({ orgId, plan, meter: METER, estimatedQuantity: BigInt(limits.timeoutMs), key: keyOf(id) });
