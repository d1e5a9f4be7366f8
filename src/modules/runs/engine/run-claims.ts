import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Features } from '../../features/features.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { PLANS } from '../../plans/plan.js';
import { RunSignals } from '../events/run-signals.js';
import { RunMetrics } from '../metrics/runs.metrics.js';
import { type ClaimedRun, type ReadyOrg, RunClaimsStore } from '../persistence/run-claims.store.js';
import { RUN_LEASE_MS } from './run-leases.js';

/** Takes runs for a worker: fair among organizations, and within what the plan of each allows at once. */
@Injectable()
export class RunClaims {
  constructor(
    private readonly database: Database,
    private readonly claims: RunClaimsStore,
    private readonly signals: RunSignals,
    private readonly orgs: OrgDirectory,
    private readonly features: Features,
    private readonly metrics: RunMetrics,
  ) {}

  /** While the feature `agent_runs` is off, all runs wait. */
  async take(workerId: string, limit: number): Promise<ClaimedRun[]> {
    if (limit <= 0 || !this.features.isEnabled('agent_runs')) return [];
    if ((await this.claims.readyOrgs()).length === 0) return [];
    const taken = await this.database.transaction(async () => {
      await this.claims.lock();
      const orgs = await this.claims.readyOrgs();
      const slots = await this.slotsOf(orgs, limit);
      return slots.length === 0 ? [] : this.claims.take(slots, { workerId, limit, leaseMs: RUN_LEASE_MS });
    });
    for (const claimed of taken) this.report(claimed);
    return taken;
  }

  private async slotsOf(orgs: readonly ReadyOrg[], limit: number): Promise<{ orgId: string; slots: number }[]> {
    const plans = await this.orgs.plansOf(orgs.map(({ orgId }) => orgId));
    return orgs
      .map(({ orgId, running }) => ({
        orgId,
        slots: Math.min(limit, PLANS[plans.get(orgId) ?? 'free'].agentRuns.concurrency - running),
      }))
      .filter(({ slots }) => slots > 0);
  }

  private report({ run, wasLost, isFirst }: ClaimedRun): void {
    if (wasLost) this.metrics.leaseLost();
    if (isFirst) this.metrics.started(((run.startedAt?.getTime() ?? 0) - run.createdAt.getTime()) / 1000);
    void this.signals.notify(run.id);
  }
}
