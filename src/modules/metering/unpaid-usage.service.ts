import { Injectable } from '@nestjs/common';
import type { Meter } from './meter.js';
import { UnpaidUsageStore } from './persistence/unpaid-usage.store.js';

/** Of one organization, month, meter and model: what was used, and not paid for yet. */
export interface UnpaidCost {
  readonly orgId: string;
  /** The first moment of the month that it is billed in. */
  readonly month: Date;
  readonly meter: Meter;
  readonly model: string | null;
  readonly costNano: bigint;
}

/** Usage that was recorded without anything having been held for it, as trusted sources and the sampler do. */
@Injectable()
export class UnpaidUsageService {
  constructor(private readonly store: UnpaidUsageStore) {}

  /** Organizations that have some, in the order of their ids, from the one after `after`. */
  organizations(after: string, limit: number): Promise<string[]> {
    return this.store.organizations(after, limit);
  }

  /** Of these organizations, those that have some. */
  among(orgIds: readonly string[]): Promise<string[]> {
    return this.store.among(orgIds);
  }

  /** All of these organizations, which is then taken for paid with the running transaction. */
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
