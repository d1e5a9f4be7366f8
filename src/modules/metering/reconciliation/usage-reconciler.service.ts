import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { ReconciliationMetrics } from './reconciliation.metrics.js';
import { monthOf } from '../month.js';
import { UsageReconciliationStore } from '../persistence/usage-reconciliation.store.js';

/** As many as help whoever looks into it. */
const TOLD = 20;

/** Compares the sums that bills are made of with the events, for the present month and the one before. */
@Injectable()
export class UsageReconciler {
  constructor(
    private readonly database: Database,
    private readonly store: UsageReconciliationStore,
    private readonly metrics: ReconciliationMetrics,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Undefined while another process does it; else how many sums are not what their events are. */
  async reconcile(): Promise<number | undefined> {
    const now = this.clock.now();
    const present = monthOf(now);
    const drifted = await this.database.transaction(async () => {
      if (!(await this.store.tryLock())) return undefined;
      return [...await this.store.drifted(present), ...await this.store.drifted(monthOf(new Date(present.start.getTime() - 1)))];
    });
    if (drifted === undefined) return undefined;
    this.metrics.reconciled(drifted.length, now);
    if (drifted.length > 0) this.log.error({ drifted: drifted.slice(0, TOLD), sums: drifted.length }, 'Sums of usage are not those of their events.');
    return drifted.length;
  }
}
