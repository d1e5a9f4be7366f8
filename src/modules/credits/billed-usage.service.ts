import { Injectable } from '@nestjs/common';
import type { BilledUsage } from './billed-usage.js';
import { HoldsStore } from './persistence/holds.store.js';

const NOTHING: BilledUsage = { costNano: 0n, fromCreditsNano: 0n, billedNano: 0n, lostNano: 0n, refundedNano: 0n };

/** Tells invoices which part of an organization's usage is still to be paid. */
@Injectable()
export class BilledUsageService {
  constructor(private readonly holds: HoldsStore) {}

  /** Sums usage from `from` on and before `to`. Adjacent periods add up to the whole. */
  async of(orgId: string, from: Date, to: Date): Promise<BilledUsage> {
    return (await this.ofAll([orgId], from, to)).get(orgId)!;
  }

  /** Does the same as {@link of} for each of these organizations. */
  async ofAll(orgIds: readonly string[], from: Date, to: Date): Promise<ReadonlyMap<string, BilledUsage>> {
    const used = await this.holds.usage(orgIds, from, to);
    return new Map(orgIds.map((orgId) => [orgId, used.get(orgId) ?? NOTHING]));
  }
}
