import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Call } from '../../auth/caller.js';
import { VerifiedDomains } from '../domains/verified-domains.js';
import { ConnectionNotTested, DomainNotVerified } from '../sso.errors.js';
import { ActiveConnections } from './active-connections.js';
import { ConnectionAccess, type ConnectionPath } from './connection-access.js';
import { ConnectionChanges } from './connection-changes.js';
import type { SsoConnection } from './sso-connection.js';

/** Lets people in through connections, and ends that. */
@Injectable()
export class ConnectionStatesService {
  constructor(
    private readonly database: Database,
    private readonly access: ConnectionAccess,
    private readonly domains: VerifiedDomains,
    private readonly changes: ConnectionChanges,
    private readonly active: ActiveConnections,
  ) {}

  /**
   * Activates a tested connection. An active one stays as it is.
   *
   * @throws {OrganizationNotFound} `organization_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {FeatureNotInPlan} `feature_not_in_plan`
   * @throws {SsoConnectionNotFound} `sso_connection_not_found`
   * @throws {ConnectionNotTested} `connection_not_tested`
   * @throws {DomainNotVerified} `domain_not_verified`
   * @throws {RoleTooLow} `insufficient_scopes`: only an owner can.
   */
  activate(call: Call, path: ConnectionPath): Promise<SsoConnection> {
    return this.database.transaction(async () => {
      const before = await this.access.lockForUse(call, path);
      if (before.testedAt === null) throw new ConnectionNotTested();
      if ((await this.domains.listVerified(before.orgId)).length === 0) throw new DomainNotVerified();
      return this.changes.activate(before, call);
    });
  }

  /**
   * Pauses an active connection, in any plan. One that is not active stays as it is.
   *
   * @throws {OrganizationNotFound} @throws {InsufficientScopes} @throws {SsoConnectionNotFound}
   * @throws {RoleTooLow} `insufficient_scopes`: SSO would be required no longer, which only an owner can decide.
   */
  pause(call: Call, path: ConnectionPath): Promise<SsoConnection> {
    return this.database.transaction(async () => {
      const before = await this.access.lock(call, path);
      const after = await this.changes.pause(before, 'by_member', call);
      if (after !== before) await this.active.announce(after.orgId, call);
      return after;
    });
  }

  /** Deletes a connection, its identities, and the sessions that came through it. @throws as {@link pause}. */
  delete(call: Call, path: ConnectionPath): Promise<void> {
    return this.database.transaction(async () => {
      const connection = await this.access.lock(call, path);
      await this.changes.delete(connection, call);
      if (connection.status === 'active') await this.active.announce(connection.orgId, call);
    });
  }
}
