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

/** How many drifted sums one log line names. */
const LOGGED = 20;
/**
 * How many organizations one statement covers. A statement for a whole large month would take a minute, and meanwhile
 * PostgreSQL keeps every old version of the rows that change with each event.
 */
const WINDOW = 500;

type OrgPage = Awaited<ReturnType<OrgDirectory['endOfPage']>>;

/** Compares the sums that invoices are made of with the events, for this month and the one before. */
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

  /** Returns how many sums differ from their events, or undefined while another process reconciles. */
  async reconcile(): Promise<number | undefined> {
    const now = this.clock.now();
    const current = monthOf(now);
    const drifted: DriftedSum[] = [];
    for (const month of [current, monthOf(new Date(current.start.getTime() - 1))]) {
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
        { drifted: drifted.slice(0, LOGGED), sums: drifted.length },
        'Usage sums differ from the sums of their events.',
      );
    return drifted.length;
  }

  private driftedIn(month: Month, window: OrgWindow): Promise<DriftedSum[] | undefined> {
    return this.database.transaction(async () =>
      (await this.store.tryLock()) ? this.store.drifted(month, window) : undefined,
    );
  }
}
