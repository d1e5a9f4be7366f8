import { Injectable } from '@nestjs/common';
import type { BilledUsage } from './billed-usage.js';
import { HoldsStore } from './persistence/holds.store.js';

/** For invoices: what of an organization's usage is still to be paid. */
@Injectable()
export class BilledUsageService {
  constructor(private readonly holds: HoldsStore) {}

  /** Of work that was used from `from` on and before `to`. Periods that follow one another add up to the whole. */
  of(orgId: string, from: Date, to: Date): Promise<BilledUsage> {
    return this.holds.usage(orgId, from, to);
  }
}
