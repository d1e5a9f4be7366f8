import { OrgDirectory } from '../../orgs/org-directory.js';
import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { ReconciliationMetrics } from './reconciliation.metrics.js';
import { type Month, monthOf } from '../month.js';
import {
  type DriftedSum,
  type OrgWindow,
  UsageReconciliationStore,
} from '../persistence/usage-reconciliation.store.js';

/** As many as help whoever looks into it. */
const TOLD = 20;
/**
 * Organizations at once. One statement for all of a large month would take a minute, and while a statement runs
 * PostgreSQL keeps every old version of the rows that change with each event.
 */
const WINDOW = 500;

/** Compares the sums that bills are made of with the events, for the present month and the one before. */
type OrgPage = Awaited<ReturnType<OrgDirectory['endOfPage']>>;

@Injectable()
export class UsageReconciler {
  constructor(
    private readonly database: Database,
    private readonly orgs: OrgDirectory,
    private readonly store: UsageReconciliationStore,
    private readonly metrics: ReconciliationMetrics,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Undefined while another process does it; else how many sums are not what their events are. */
  async reconcile(): Promise<number | undefined> {
    const now = this.clock.now();
    const present = monthOf(now);
    const drifted: DriftedSum[] = [];
    for (const month of [present, monthOf(new Date(present.start.getTime() - 1))]) {
      for (let after: string | undefined = ''; after !== undefined;) {
        const { last, count }: OrgPage = await this.orgs.endOfPage(after, WINDOW);
        const window: OrgWindow = { after, last: count < WINDOW ? undefined : last };
        const found = await this.driftedIn(month, window);
        if (found === undefined) return undefined;
        drifted.push(...found);
        after = window.last;
      }
    }
    this.metrics.reconciled(drifted.length, now);
    if (drifted.length > 0)
      this.log.error(
        { drifted: drifted.slice(0, TOLD), sums: drifted.length },
        'Sums of usage are not those of their events.',
      );
    return drifted.length;
  }

  private driftedIn(month: Month, window: OrgWindow): Promise<DriftedSum[] | undefined> {
    return this.database.transaction(async () =>
      (await this.store.tryLock()) ? this.store.drifted(month, window) : undefined,
    );
  }
}
