import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Clock } from '../../platform/time/clock.js';
import { PLANS } from '../plans/plan.js';
import { PricesService } from '../metering/prices.service.js';
import type { UsageEvent } from '../metering/usage-event.js';
import { GatheringWriter } from '../../platform/database/gathering-writer.js';
import { WorkBatchService, type WorkRequest } from './paid/work-batch.service.js';
import type { PaidWork, WorkEnd, WorkEstimate } from './paid-work.js';
import { HoldsStore } from './persistence/holds.store.js';
import type { Hold } from './purse/hold.js';

const LANES = 2;
const WRITERS_OF_LANE = 2;
/** Larger batches are cheaper: each batch has its own statements and its own commit. */
const MAX_BATCH = 500;
const WITHIN_MS = 60 * 60_000;

/**
 * Charges for work. The most that it may cost is held before it begins, and the actual cost is charged when it ends.
 */
@Injectable()
export class PaidWorkService {
  private readonly writer: GatheringWriter<WorkRequest, Hold>;

  constructor(
    private readonly database: Database,
    private readonly prices: PricesService,
    private readonly batches: WorkBatchService,
    private readonly holds: HoldsStore,
    private readonly clock: Clock,
  ) {
    this.writer = new GatheringWriter({
      keyOf: ({ orgId }) => orgId,
      lanes: LANES,
      writersOfLane: WRITERS_OF_LANE,
      maxBatch: MAX_BATCH,
      write: (requests) => this.batches.perform(requests),
    });
  }

  /** Returns the most that the work may cost, in nano-dollars. Nothing is held. */
  async estimate({ orgId, meter, lines }: Pick<WorkEstimate, 'orgId' | 'meter' | 'lines'>): Promise<bigint> {
    const at = this.clock.now();
    const costs = await Promise.all(
      lines.map(({ model = null, quantity }) => this.prices.estimate({ orgId, meter, model, quantity, at })),
    );
    return costs.reduce((sum, costNano) => sum + costNano, 0n);
  }

  /**
   * Holds the price of the estimate, in the caller's transaction if there is one, so that other work cannot spend it.
   *
   * @throws {BudgetExceeded} `budget_exceeded`
   * @throws {CreditsExhausted} `credits_exhausted`
   * @throws {SpendCapReached} `spend_cap_reached`
   */
  async begin(work: WorkEstimate): Promise<PaidWork> {
    const { orgId, plan, meter, lines, subjects = [], paidElsewhere = false, key, withinMs = WITHIN_MS } = work;
    const priceNano = await this.estimate(work);
    const begunAt = this.clock.now();
    const expiresAt = new Date(begunAt.getTime() + withinMs);
    return paidWorkOf(
      await this.write({
        kind: 'begin',
        orgId,
        hold: {
          key,
          orgId,
          meter,
          model: modelOf(lines),
          amountNano: paidElsewhere ? 0n : priceNano,
          countedNano: paidElsewhere ? priceNano : null,
          subjects,
          begunAt,
          expiresAt,
          postpaid: PLANS[plan].billsUsage,
          chargesBeyond: work.chargesBeyond === true && !paidElsewhere,
        },
      }),
    );
  }

  /** Returns the work of these keys. Keys without a hold are left out. */
  find(keys: readonly string[]): Promise<PaidWork[]> {
    return this.holds.find(keys);
  }

  /**
   * Records the usage and charges for it once, both in one transaction: the caller's, if there is one. Usage of several
   * prices is several events, and one charge. Usage beyond the hold is charged as {@link WorkEstimate.chargesBeyond}
   * says, and the platform bears usage after the hold was released.
   *
   * @returns the price of the usage in nano-dollars; the earlier price when the work had ended before.
   */
  async end(
    { key, orgId }: Pick<PaidWork, 'key' | 'orgId'>,
    events: readonly UsageEvent[],
  ): Promise<{ costNano: bigint }> {
    const { costNano } = await this.write({ kind: 'end', orgId, key, events });
    return { costNano: costNano! };
  }

  /**
   * Ends several pieces of work in one transaction: the caller's, if there is one. Each is charged for as by
   * {@link end}. Of work that is paid for elsewhere, budgets count the price, at most what they hold for it; nothing is
   * charged, and nothing is recorded as usage.
   *
   * @returns what each has cost in nano-dollars, in order; 0 for work that is paid for elsewhere.
   */
  async endAll(ends: readonly WorkEnd[]): Promise<bigint[]> {
    if (ends.length === 0) return [];
    const outcomes = await this.batches.perform(await Promise.all(ends.map((end) => this.requestOf(end))));
    return outcomes.map((outcome) => {
      if ('refusal' in outcome) throw outcome.refusal;
      return outcome.answer.costNano ?? 0n;
    });
  }

  /** Releases the hold. Work that has ended stays as it is. */
  async abandon({ key, orgId }: Pick<PaidWork, 'key' | 'orgId'>): Promise<void> {
    await this.write({ kind: 'abandon', orgId, key });
  }

  /** Does the same as {@link abandon} for several pieces of work. */
  async abandonAll(works: readonly Pick<PaidWork, 'key' | 'orgId'>[]): Promise<void> {
    if (works.length > 0) await this.batches.perform(works.map(({ key, orgId }) => ({ kind: 'abandon', orgId, key })));
  }

  private async requestOf({
    work: { key, orgId, begunAt },
    meter,
    events,
    paidElsewhere,
  }: WorkEnd): Promise<WorkRequest> {
    if (!paidElsewhere) return { kind: 'end', orgId, key, events };
    return {
      kind: 'count',
      orgId,
      key,
      costNano: await this.estimate({ orgId, meter, lines: events }),
      occurredAt: begunAt,
    };
  }

  /** Batches the request with those of other callers, unless the caller has a transaction that it must join. */
  private async write(request: WorkRequest): Promise<Hold> {
    if (!this.database.inTransaction) return this.writer.write(request);
    const [outcome] = await this.batches.perform([request]);
    if ('refusal' in outcome!) throw outcome.refusal;
    return outcome!.answer;
  }
}

/** Names the work in the ledger: by its model without the kind of tokens, or by its one line. */
function modelOf(lines: WorkEstimate['lines']): string | null {
  const [first, ...others] = lines;
  const model = first?.model ?? null;
  return others.length === 0 ? model : (model?.slice(0, model.lastIndexOf(':')) ?? null);
}

const paidWorkOf = ({ key, orgId, amountNano, begunAt }: Hold): PaidWork => ({
  key,
  orgId,
  heldNano: amountNano,
  begunAt,
});
