import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { inBatches } from '../../../platform/database/in-batches.js';
import { Clock } from '../../../platform/time/clock.js';
import { OrgPlans } from '../../orgs/org-plans.js';
import { SubscriptionsStore } from '../persistence/subscriptions.store.js';
import { PlanChanges } from './plan-changes.js';

const BATCH = 100;

/** Applies changes that were planned for the end of a period. */
@Injectable()
export class DuePlanChanges {
  constructor(
    private readonly database: Database,
    private readonly subscriptions: SubscriptionsStore,
    private readonly changes: PlanChanges,
    private readonly plans: OrgPlans,
    private readonly clock: Clock,
  ) {}

  /** Applies all due changes. An organization keeps what exceeds the new plan, but cannot create more. */
  async applyAll(): Promise<void> {
    await inBatches(
      async (limit) => {
        const due = await this.subscriptions.due(this.clock.now(), limit);
        for (const orgId of due) await this.applyOf(orgId);
        return due.length;
      },
      { size: BATCH },
    );
  }

  /** Applies the due changes of these organizations, each in a transaction of its own. */
  async applyAmong(orgIds: readonly string[]): Promise<void> {
    for (const orgId of await this.subscriptions.dueAmong(orgIds, this.clock.now())) await this.applyOf(orgId);
  }

  /** Applies the change of one organization if it is due. */
  async applyOf(orgId: string): Promise<void> {
    const nextPlanAt = (await this.subscriptions.find(orgId))?.nextPlanAt ?? null;
    if (nextPlanAt === null || nextPlanAt > this.clock.now()) return;
    await this.database.transaction(async () => {
      // A deleted organization has nothing left that a plan could limit.
      if ((await this.plans.lock(orgId)) === null) await this.subscriptions.drop(orgId);
      else await this.changes.applyDue(await this.subscriptions.find(orgId));
    });
  }
}
