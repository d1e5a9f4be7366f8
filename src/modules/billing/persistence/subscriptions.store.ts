import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { PlanChange } from './plan-change.entity.js';
import { Subscription } from './subscription.entity.js';

/** Callers that change the subscription of an organization have locked the organization. */
@Injectable()
export class SubscriptionsStore {
  constructor(private readonly database: Database) {}

  find(orgId: string): Promise<Subscription | null> {
    return this.database.manager.findOneBy(Subscription, { orgId });
  }

  async save(subscription: Subscription): Promise<void> {
    await this.database.manager.upsert(Subscription, subscription, ['orgId']);
  }

  /** Drops the planned change of an organization. */
  async drop(orgId: string): Promise<void> {
    await this.database.manager.update(Subscription, { orgId }, { nextPlan: null, nextPlanAt: null });
  }

  async addChange(change: Omit<PlanChange, 'seq'>): Promise<void> {
    await this.database.manager.insert(PlanChange, change);
  }

  /** Returns the changes that took effect before a time, in order. */
  changesBefore(orgId: string, time: Date): Promise<PlanChange[]> {
    return this.database.manager
      .createQueryBuilder(PlanChange, 'change')
      .where('change.orgId = :orgId AND change.effectiveAt < :time', { orgId, time })
      .orderBy('change.effectiveAt')
      .addOrderBy('change.seq')
      .getMany();
  }

  /** Does the same as {@link changesBefore} for several organizations. Those without changes are left out. */
  async changesOf(orgIds: readonly string[], time: Date): Promise<ReadonlyMap<string, readonly PlanChange[]>> {
    const changes = await this.database.manager
      .createQueryBuilder(PlanChange, 'change')
      .where('change.orgId = ANY(:orgIds) AND change.effectiveAt < :time', { orgIds, time })
      .orderBy('change.effectiveAt')
      .addOrderBy('change.seq')
      .getMany();
    const byOrg = new Map<string, PlanChange[]>();
    for (const change of changes) byOrg.set(change.orgId, [...(byOrg.get(change.orgId) ?? []), change]);
    return byOrg;
  }

  /** Returns the given organizations whose planned change is due. */
  async dueAmong(orgIds: readonly string[], now: Date): Promise<string[]> {
    const rows = await this.database.manager.query<{ org_id: string }[]>(
      'SELECT org_id FROM subscriptions WHERE org_id = ANY($1) AND next_plan_at <= $2 ORDER BY org_id',
      [orgIds, now],
    );
    return rows.map(({ org_id }) => org_id);
  }

  /** Returns organizations whose planned change is due, the longest overdue first. */
  async due(now: Date, limit: number): Promise<string[]> {
    const rows = await this.database.manager.query<{ org_id: string }[]>(
      'SELECT org_id FROM subscriptions WHERE next_plan_at <= $1 ORDER BY next_plan_at, org_id LIMIT $2',
      [now, limit],
    );
    return rows.map(({ org_id }) => org_id);
  }
}
