import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Call } from '../../auth/caller.js';
import { keySubject } from '../../credits/budget-subject.js';
import type { WorkEstimate } from '../../credits/paid-work.js';
import { PaidWorkService } from '../../credits/paid-work.service.js';

const METER = 'sandbox_compute';
/** Resolving and installing may take two minutes each. */
const MOST_MS = 240_000;
/** Afterwards the installation counts as lost, and nothing is charged for it. */
const WITHIN_MS = 600_000;

/** Charges an organization for the time that its packages take to resolve and install, when they first do. */
@Injectable()
export class PackagesBilling {
  constructor(
    private readonly database: Database,
    private readonly paidWork: PaidWorkService,
  ) {}

  /**
   * Returns the price of the longest installation, in nano-dollars, if it could be held now. Holds nothing.
   *
   * @throws as {@link hold}.
   */
  async rehearse(call: Call): Promise<bigint> {
    const work = estimateOf(call, `rehearsal:${call.org.id}`);
    const { heldNano } = await this.database.rehearse(() => this.paidWork.begin(work));
    return heldNano;
  }

  /**
   * Holds the price of the longest installation.
   *
   * @returns the key of the work.
   * @throws {BudgetExceeded} `budget_exceeded`
   * @throws {CreditsExhausted} `credits_exhausted`
   * @throws {SpendCapReached} `spend_cap_reached`
   */
  async hold(call: Call, executionId: string): Promise<string> {
    const work = estimateOf(call, executionId);
    await this.paidWork.begin(work);
    return work.key;
  }

  async pay(key: string, tookMs: number): Promise<void> {
    const [work] = await this.paidWork.find([key]);
    if (work === undefined) return;
    if (tookMs === 0) {
      await this.paidWork.abandon(work);
      return;
    }
    const quantity = BigInt(Math.min(tookMs, MOST_MS));
    const { orgId, begunAt: occurredAt } = work;
    const event = { source: 'sandbox', sourceId: key, orgId, meter: METER, quantity, occurredAt } as const;
    await this.paidWork.end(work, [{ ...event, properties: { work: 'packages' } }]);
  }

  /** Nothing is charged. Safe to repeat. */
  async release(key: string): Promise<void> {
    await this.paidWork.abandonAll(await this.paidWork.find([key]));
  }
}

const estimateOf = (
  { org, principal: { credential }, budgetSubjects = [] }: Call,
  executionId: string,
): WorkEstimate & { readonly withinMs: number } => ({
  orgId: org.id,
  plan: org.plan,
  meter: METER,
  lines: [{ quantity: BigInt(MOST_MS) }],
  subjects: [...(credential.type === 'api_key' ? [keySubject(credential.keyId)] : []), ...budgetSubjects],
  key: `sandbox-packages:${executionId}`,
  withinMs: WITHIN_MS,
});
