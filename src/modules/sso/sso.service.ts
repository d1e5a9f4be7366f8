import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/time/clock.js';
import type { ManagedRole } from '../orgs/managed-memberships.js';
import { OrgPlans } from '../orgs/org-plans.js';
import { roleFor, type SsoConnection } from './connections/sso-connection.js';
import { VerifiedDomains } from './domains/verified-domains.js';
import { SsoConnectionsStore } from './persistence/sso-connections.store.js';

/** A connection that lets people in now. */
export interface ActiveConnection {
  readonly id: string;
  readonly orgId: string;
  readonly name: string;
  /** True when people whom the organization does not know yet become members at their first sign-in. */
  readonly jit: boolean;
}

/** What a completed sign-in through a connection is worth. */
@Injectable()
export class SsoService {
  constructor(
    private readonly connections: SsoConnectionsStore,
    private readonly domains: VerifiedDomains,
    private readonly plans: OrgPlans,
    private readonly clock: Clock,
  ) {}

  /** Returns the connection if it is active. A sign-in may have begun when it was. */
  async findActive(connectionId: string): Promise<ActiveConnection | undefined> {
    const connection = await this.connections.find(connectionId);
    return connection?.status === 'active' ? viewOf(connection) : undefined;
  }

  /**
   * {@link findActive} in the running transaction. It locks the organization, so that the connection stays active until
   * the transaction ends. No row of a person may be locked before.
   */
  async lockActive(connectionId: string): Promise<ActiveConnection | undefined> {
    const known = await this.findActive(connectionId);
    if (known === undefined || (await this.plans.lock(known.orgId)) === null) return undefined;
    return this.findActive(connectionId);
  }

  /** True when the address is in a domain that the organization of the connection has verified. */
  speaksFor({ orgId }: Pick<ActiveConnection, 'orgId'>, emailAddress: string): Promise<boolean> {
    return this.domains.isOf(orgId, emailAddress);
  }

  /** Returns the highest role that the groups give, or else the default one. Undefined for a deleted connection. */
  async roleFor(connectionId: string, groups: readonly string[]): Promise<ManagedRole | undefined> {
    const connection = await this.connections.find(connectionId);
    return connection && roleFor(connection, groups);
  }

  /** Notes that a person came in through the connection. */
  async noteUse(connectionId: string): Promise<void> {
    await this.connections.used(connectionId, this.clock.now());
  }
}

const viewOf = ({ id, orgId, name, jit }: SsoConnection): ActiveConnection => ({ id, orgId, name, jit });
