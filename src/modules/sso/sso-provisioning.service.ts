import { Injectable } from '@nestjs/common';
import type { Call } from '../auth/caller.js';
import type { ManagedRole } from '../orgs/managed-memberships.js';
import { OrgPlans } from '../orgs/org-plans.js';
import { SsoGate } from './access/sso-gate.js';
import { ConnectionAccess, type ConnectionPath } from './connections/connection-access.js';
import { roleOfGroups } from './connections/group-roles.js';
import type { SsoConnection } from './connections/sso-connection.js';
import { VerifiedDomains } from './domains/verified-domains.js';
import { SsoConnectionsStore } from './persistence/sso-connections.store.js';
import { ProvisionedPeople } from './provisioning/provisioned-people.js';

export type { ConnectionPath };

/** A connection whose provider creates and removes people. Its status does not matter for that. */
export interface ProvisioningConnection {
  readonly id: string;
  readonly orgId: string;
  /** Groups and the roles that they give. */
  readonly groupRoles: SsoConnection['groupRoles'];
  readonly defaultRole: ManagedRole;
}

/** Connections and their people, for the providers that provision them. */
@Injectable()
export class SsoProvisioningService {
  constructor(
    private readonly connections: SsoConnectionsStore,
    private readonly access: ConnectionAccess,
    private readonly gate: SsoGate,
    private readonly plans: OrgPlans,
    private readonly domains: VerifiedDomains,
    private readonly people: ProvisionedPeople,
  ) {}

  /**
   * Returns undefined for a deleted connection, and for one of a deleted organization.
   *
   * @throws {FeatureNotInPlan} `feature_not_in_plan`
   */
  async find(connectionId: string): Promise<ProvisioningConnection | undefined> {
    const connection = await this.connections.find(connectionId);
    if (connection === undefined || (await this.plans.find(connection.orgId))?.deletedAt !== null) return undefined;
    await this.gate.require(connection.orgId);
    return connection;
  }

  /** Returns the organization of a connection in any plan. */
  async orgIdOf(connectionId: string): Promise<string | undefined> {
    return (await this.connections.find(connectionId))?.orgId;
  }

  /** {@link find}, with the organization locked until the running transaction ends. */
  async lock({ id, orgId }: ProvisioningConnection): Promise<ProvisioningConnection | undefined> {
    return (await this.plans.lock(orgId)) === null ? undefined : this.find(id);
  }

  /**
   * Returns the connection for a caller who may manage it.
   *
   * @throws {OrganizationNotFound} `organization_not_found`, {InsufficientScopes} `insufficient_scopes`
   * @throws {SsoConnectionNotFound} `sso_connection_not_found`
   */
  get(call: Call, path: ConnectionPath): Promise<ProvisioningConnection> {
    return this.access.get(call, path);
  }

  /** {@link get}, with the organization and the connection locked. @throws {FeatureNotInPlan} `feature_not_in_plan` */
  lockForUse(call: Call, path: ConnectionPath): Promise<ProvisioningConnection> {
    return this.access.lockForUse(call, path);
  }

  /** {@link lockForUse} in any plan, for what ends the use of a connection. */
  lockForEnd(call: Call, path: ConnectionPath): Promise<ProvisioningConnection> {
    return this.access.lock(call, path);
  }

  /** True when the address is in a domain that the organization of the connection has verified. */
  speaksFor({ orgId }: ProvisioningConnection, emailAddress: string): Promise<boolean> {
    return this.domains.isOf(orgId, emailAddress);
  }

  /** Returns the highest role that the groups give, or else the default one. */
  roleOf({ groupRoles, defaultRole }: ProvisioningConnection, groups: readonly string[]): ManagedRole {
    return roleOfGroups(groups, groupRoles) ?? defaultRole;
  }

  /** Lets a person come in through the connection, in the running transaction. */
  admit({ id: connectionId }: ProvisioningConnection, userId: string): Promise<void> {
    return this.people.admit({ connectionId, userId });
  }

  /** Lets a person come in through the connection no longer, in the running transaction. */
  suspend({ id: connectionId }: ProvisioningConnection, userId: string): Promise<void> {
    return this.people.suspend({ connectionId, userId });
  }
}
