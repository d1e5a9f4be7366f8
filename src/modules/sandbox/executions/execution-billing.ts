import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { PlanId } from '../../plans/plan.js';
import { keySubject } from '../../credits/budget-subject.js';
import { PaidWorkService } from '../../credits/paid-work.service.js';
import type { PaidWork, WorkEstimate } from '../../credits/paid-work.js';
import type { QueuedExecution } from '../persistence/sandbox-execution.entity.js';
import type { SandboxExecution } from '../persistence/sandbox-execution.entity.js';
import { ARTIFACT_HOURS } from '../domain/artifacts.js';
import type { SandboxLimits } from '../domain/sandbox-runtime.js';

const METER = 'sandbox_compute';
const STORAGE_METER = 'object_storage';

export type PaidExecution = Pick<SandboxExecution, 'id' | 'orgId' | 'limits' | 'language'>;

interface Rehearsed {
  readonly orgId: string;
  /** The key that makes the call; its budget limits the execution, too. */
  readonly keyId: string | null;
  readonly limits: SandboxLimits;
  /** More budgets that limit the execution, such as that of a run of an agent. */
  readonly budgetSubjects?: readonly string[] | undefined;
}

/** Holds and charges what executions of organizations cost: the wall time of their run. */
@Injectable()
export class ExecutionBilling {
  constructor(
    private readonly database: Database,
    private readonly paidWork: PaidWorkService,
  ) {}

  /**
   * Returns the highest cost of an execution with these limits, in nano-dollars, if it could start now. Holds nothing.
   *
   * @throws {BudgetExceeded} `budget_exceeded`
   * @throws {CreditsExhausted} `credits_exhausted`
   * @throws {SpendCapReached} `spend_cap_reached`
   */
  async rehearse(facts: Rehearsed, plan: PlanId): Promise<bigint> {
    const { heldNano } = await this.database.rehearse(() =>
      this.begin({ ...facts, plan, id: `rehearsal:${facts.orgId}` }),
    );
    return heldNano;
  }

  /**
   * Holds the price of the whole time limit in the transaction that writes the execution.
   *
   * @throws as {@link rehearse}.
   */
  hold(
    { id, orgId, keyId, limits, budgetSubjects }: QueuedExecution & Rehearsed,
    plan: PlanId,
    write: () => Promise<void>,
  ): Promise<void> {
    return this.database.transaction(async () => {
      // Both in one round trip. The execution that is there already is the reason, if both fail.
      const written = await Promise.allSettled([
        write(),
        this.begin({ id, orgId, keyId, plan, limits, budgetSubjects }),
      ]);
      for (const each of written) if (each.status === 'rejected') throw each.reason;
    });
  }

  /** Returns what was held for an execution: for its run, and for the storage of what it sends. */
  worksOf(executionId: string): Promise<PaidWork[]> {
    return this.paidWork.find(keysOf(executionId));
  }

  /**
   * Charges for the time that the execution ran, within the current transaction. The charge never exceeds the time
   * limit, because stopping a run that reaches it takes the platform a moment. Artifacts are charged for at once, for
   * as long as they are kept.
   *
   * @returns the cost in nano-dollars; null when nothing was held, because an earlier release admitted the execution.
   */
  async pay(
    execution: PaidExecution,
    works: readonly PaidWork[],
    ranMs: number,
    artifactBytes = 0,
  ): Promise<bigint | null> {
    const { id, orgId, limits, language } = execution;
    const work = works.find(({ key }) => key === keyOf(id));
    if (work === undefined) return null;
    const quantity = BigInt(Math.min(Math.max(Math.ceil(ranMs), 0), limits.timeoutMs));
    const { costNano } = await this.paidWork.end(work, [
      {
        source: 'sandbox',
        sourceId: id,
        orgId,
        meter: METER,
        quantity,
        occurredAt: work.begunAt,
        properties: { language },
      },
    ]);
    const storage = works.find(({ key }) => key === storageKeyOf(id));
    return costNano + (storage === undefined ? 0n : await this.payStorage(execution, storage, artifactBytes));
  }

  /**
   * Releases the holds of executions that did not run or were lost, within the current transaction. They cost nothing.
   */
  async release(executions: readonly Pick<PaidExecution, 'id' | 'orgId'>[]): Promise<void> {
    await this.paidWork.abandonAll(await this.paidWork.find(executions.flatMap(({ id }) => keysOf(id))));
  }

  /** Holds the run, and the storage of an execution that sends artifacts. */
  private async begin(facts: Estimated): Promise<{ heldNano: bigint }> {
    const { heldNano } = await this.paidWork.begin(estimateOf(facts));
    const storage = storageEstimateOf(facts);
    return { heldNano: heldNano + (storage === null ? 0n : (await this.paidWork.begin(storage)).heldNano) };
  }

  private async payStorage(
    { id, orgId, language }: PaidExecution,
    work: PaidWork,
    artifactBytes: number,
  ): Promise<bigint> {
    if (artifactBytes === 0) {
      await this.paidWork.abandon(work);
      return 0n;
    }
    const { costNano } = await this.paidWork.end(work, [
      {
        source: 'sandbox',
        sourceId: `${id}:artifacts`,
        orgId,
        meter: STORAGE_METER,
        quantity: byteHoursOf(artifactBytes),
        occurredAt: work.begunAt,
        properties: { language },
      },
    ]);
    return costNano;
  }
}

const keyOf = (executionId: string): string => `sandbox:${executionId}`;

const storageKeyOf = (executionId: string): string => `${keyOf(executionId)}:artifacts`;
const keysOf = (executionId: string): string[] => [keyOf(executionId), storageKeyOf(executionId)];

const byteHoursOf = (bytes: number): bigint => BigInt(bytes) * BigInt(ARTIFACT_HOURS);

type Estimated = Rehearsed & { readonly id: string; readonly plan: PlanId };

const storageEstimateOf = (facts: Estimated): WorkEstimate | null =>
  facts.limits.artifactBytes === undefined
    ? null
    : {
        ...estimateOf(facts),
        meter: STORAGE_METER,
        lines: [{ quantity: byteHoursOf(facts.limits.artifactBytes) }],
        key: storageKeyOf(facts.id),
      };

const estimateOf = ({ id, orgId, keyId, plan, limits, budgetSubjects = [] }: Estimated): WorkEstimate => ({
  orgId,
  plan,
  meter: METER,
  lines: [{ quantity: BigInt(limits.timeoutMs) }],
  subjects: [...(keyId === null ? [] : [keySubject(keyId)]), ...budgetSubjects],
  key: keyOf(id),
});
