import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Call } from '../../auth/caller.js';
import { SsoConnectionNotFound } from '../../identities/identities.errors.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { OrgOfPath } from '../../orgs/org-of-path.js';
import { OrganizationIsPersonal } from '../../orgs/orgs.errors.js';
import { SsoGate } from '../access/sso-gate.js';
import { SsoConnectionsStore } from '../persistence/sso-connections.store.js';
import { TooManySsoConnections } from '../sso.errors.js';
import type { SsoConnection } from './sso-connection.js';

const MOST_IN_AN_ORG = 10;

/** A connection in a path, with an organization by its id or slug. */
export interface ConnectionPath {
  readonly org: string;
  readonly id: string;
}

/** Finds connections for those who may manage them. Reading needs the same scope as writing. */
@Injectable()
export class ConnectionAccess {
  constructor(
    private readonly database: Database,
    private readonly paths: OrgOfPath,
    private readonly orgs: OrgDirectory,
    private readonly gate: SsoGate,
    private readonly connections: SsoConnectionsStore,
  ) {}

  /**
   * @throws {OrganizationNotFound} `organization_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  orgOf(call: Call, org: string): string {
    return this.paths.require(call, org, 'orgs:write').id;
  }

  /**
   * Returns the organization in which a connection can be created. It is read outside of the running transaction.
   *
   * @throws as {@link orgOf}.
   * @throws {OrganizationIsPersonal} `personal_organization`
   * @throws {FeatureNotInPlan} `feature_not_in_plan`
   */
  async orgForNew(call: Call, org: string): Promise<string> {
    const { id, personal } = this.paths.require(call, org, 'orgs:write');
    if (personal) throw new OrganizationIsPersonal();
    await this.database.apart(() => this.gate.require(id));
    return id;
  }

  /**
   * Locks the organization in the running transaction, and requires room for another connection.
   *
   * @throws {FeatureNotInPlan} `feature_not_in_plan`
   * @throws {TooManySsoConnections} `invalid_request`
   */
  async lockRoom(call: Call, orgId: string): Promise<void> {
    await this.gate.lock(call, orgId);
    if ((await this.connections.count(orgId)) >= MOST_IN_AN_ORG) throw new TooManySsoConnections(MOST_IN_AN_ORG);
  }

  /** @throws as {@link orgOf}. @throws {SsoConnectionNotFound} `sso_connection_not_found` */
  async get(call: Call, { org, id }: ConnectionPath): Promise<SsoConnection> {
    return found(await this.connections.findOf(this.orgOf(call, org), id));
  }

  /** {@link get} outside of the running transaction, for a plan with SSO. @throws {FeatureNotInPlan} */
  getForUse(call: Call, path: ConnectionPath): Promise<SsoConnection> {
    return this.database.apart(async () => {
      const connection = await this.get(call, path);
      await this.gate.require(connection.orgId);
      return connection;
    });
  }

  /**
   * Locks the organization, then the connection, in the running transaction.
   *
   * @throws as {@link get}. @throws {FeatureNotInPlan} `feature_not_in_plan`
   */
  async lockForUse(call: Call, path: ConnectionPath): Promise<SsoConnection> {
    const orgId = this.orgOf(call, path.org);
    await this.gate.lock(call, orgId);
    return found(await this.connections.lock(orgId, path.id));
  }

  /** {@link lockForUse} in any plan, for what ends the use of a connection. */
  async lock(call: Call, path: ConnectionPath): Promise<SsoConnection> {
    const orgId = this.orgOf(call, path.org);
    await this.orgs.lockAndGetPlan(call, orgId);
    return found(await this.connections.lock(orgId, path.id));
  }
}

function found(connection: SsoConnection | undefined): SsoConnection {
  if (connection === undefined) throw new SsoConnectionNotFound();
  return connection;
}
