import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { OrgPlans } from '../../orgs/org-plans.js';
import { PLANS } from '../../plans/plan.js';
import { SsoConnectionsStore } from '../persistence/sso-connections.store.js';
import { ActiveConnections } from './active-connections.js';
import { ConnectionChanges } from './connection-changes.js';
import { ConnectionHistory } from './connection-history.js';

/** Ends the use of all connections of an organization when its plan, or the organization itself, ends. */
@Injectable()
export class ConnectionsOfOrg {
  constructor(
    private readonly database: Database,
    private readonly plans: OrgPlans,
    private readonly connections: SsoConnectionsStore,
    private readonly changes: ConnectionChanges,
    private readonly active: ActiveConnections,
    private readonly history: ConnectionHistory,
  ) {}

  /**
   * Pauses the active connections if the plan of the organization includes no SSO now. Nobody is locked out: SSO is
   * required no longer, and owners are notified. It is safe to call this again.
   */
  async followPlan(orgId: string): Promise<void> {
    await this.database.transaction(async () => {
      const org = await this.plans.lock(orgId);
      if (org === null || PLANS[org.plan].features.sso) return;
      const active = (await this.connections.lockAll(orgId)).filter(({ status }) => status === 'active');
      if (active.length === 0) return;
      for (const connection of active) await this.changes.pause(connection, 'plan', undefined);
      await this.active.announce(orgId, undefined);
      await this.history.notify({ orgId, kind: 'plan_lost' });
    });
  }

  /** Deletes the connections of a deleted organization. It is safe to call this again. */
  async removeAll(orgId: string): Promise<void> {
    await this.database.transaction(async () => {
      for (const connection of await this.connections.lockAll(orgId)) await this.changes.delete(connection, undefined);
    });
  }
}
