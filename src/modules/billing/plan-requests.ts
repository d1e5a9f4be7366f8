import { Injectable } from '@nestjs/common';
import { Outbox } from '../../platform/outbox/outbox.js';
import { Clock } from '../../platform/time/clock.js';
import type { Call } from '../auth/caller.js';
import { OrgDirectory } from '../orgs/org-directory.js';
import { PlanRequestNotFound } from './billing.errors.js';
import { BillingSettings } from './billing.settings.js';
import { type PlanRequest, PlanRequestsStore } from './persistence/plan-requests.store.js';
import type { PlanId } from '../plans/plan.js';
import { planRequestEvent } from './plan-request.job.js';

export type { PlanRequest };

/**
 * Requests for a larger plan when no payment provider is connected: an operator approves or refuses them. All changes
 * run in the caller's transaction, with the organization locked, and reach the operators' tasks through the outbox.
 */
@Injectable()
export class PlanRequests {
  /** True when a larger plan waits for an operator. */
  readonly areRequired: boolean;

  constructor(
    settings: BillingSettings,
    private readonly requests: PlanRequestsStore,
    private readonly owners: OrgDirectory,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {
    this.areRequired = settings.stripe === undefined && settings.planChanges === 'approved';
  }

  find(orgId: string): Promise<PlanRequest | undefined> {
    return this.requests.find(orgId);
  }

  /** Requests a plan. It replaces a request for another plan, and keeps one for the same plan. */
  async create(call: Call, orgId: string, plan: PlanId): Promise<PlanRequest> {
    const existing = await this.requests.find(orgId);
    if (existing?.plan === plan) return existing;
    const request = { orgId, plan, requestedAt: this.clock.now() };
    await this.requests.save(request);
    await this.changed(orgId, 'subscription.change_requested', { to: plan }, call);
    return request;
  }

  /** Withdraws the request, because the organization chose another plan. Does nothing without a request. */
  async withdraw(call: Call | undefined, orgId: string): Promise<void> {
    const existing = await this.requests.find(orgId);
    if (existing === undefined) return;
    await this.requests.delete(orgId);
    await this.changed(orgId, 'subscription.request_withdrawn', { to: existing.plan }, call);
  }

  /** Settles the request, because an operator has set a plan. Does nothing without a request. */
  async settle(orgId: string): Promise<void> {
    if ((await this.requests.find(orgId)) === undefined) return;
    await this.requests.delete(orgId);
    await this.outbox.publish(planRequestEvent, { orgId });
  }

  /** @throws {PlanRequestNotFound} `plan_request_not_found` */
  async refuse(orgId: string, reason: string): Promise<PlanRequest> {
    const existing = await this.requests.find(orgId);
    if (existing === undefined) throw new PlanRequestNotFound();
    await this.requests.delete(orgId);
    await this.changed(orgId, 'subscription.change_refused', { to: existing.plan, by: 'operator', reason }, undefined);
    return existing;
  }

  private async changed(
    orgId: string,
    action: `subscription.${string}`,
    details: Readonly<Record<string, unknown>>,
    by: Call | undefined,
  ): Promise<void> {
    await this.owners.record({ orgId, action, target: { type: 'subscription', id: orgId }, details }, by);
    await this.outbox.publish(planRequestEvent, { orgId });
  }
}
