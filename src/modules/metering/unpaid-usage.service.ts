import { Injectable } from '@nestjs/common';
import type { Meter } from './meter.js';
import { UnpaidUsageStore } from './persistence/unpaid-usage.store.js';

/** What one organization used of a meter and model in a month and has not paid for yet. */
export interface UnpaidCost {
  readonly orgId: string;
  /** The first moment of the month that bills it. */
  readonly month: Date;
  readonly meter: Meter;
  readonly model: string | null;
  readonly costNano: bigint;
}

/** Usage that was recorded without a hold, as trusted sources and the storage sampler do. */
@Injectable()
export class UnpaidUsageService {
  constructor(private readonly store: UnpaidUsageStore) {}

  /** Returns organizations with unpaid usage, ordered by id, starting after `after`. */
  organizations(after: string, limit: number): Promise<string[]> {
    return this.store.organizations(after, limit);
  }

  /** Returns the given organizations that have unpaid usage. */
  among(orgIds: readonly string[]): Promise<string[]> {
    return this.store.among(orgIds);
  }

  /**
   * Removes the unpaid usage of these organizations and returns it. The caller pays for it in the running transaction.
   */
  async take(orgIds: readonly string[]): Promise<UnpaidCost[]> {
    const taken = await this.store.take(orgIds);
    return taken.map(({ orgId, month, meter, model, costNano }) => ({
      orgId,
      month: new Date(`${month}T00:00:00Z`),
      meter: meter as Meter,
      model: model === '' ? null : model,
      costNano,
    }));
  }
}
