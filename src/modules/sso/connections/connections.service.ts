import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { SsoConnectionsStore } from '../persistence/sso-connections.store.js';
import { SSO_CONNECTION_ID } from '../sso.ids.js';
import { ConnectionAccess, type ConnectionPath } from './connection-access.js';
import { ConnectionChanges } from './connection-changes.js';
import { ConnectionSetups, type ProviderChange, type ProviderInput } from './connection-setups.js';
import { type ConnectionChange, drafted, type NewConnection, type SsoConnection } from './sso-connection.js';

export interface CreateConnectionInput extends Pick<
  NewConnection,
  'name' | 'mapping' | 'defaultRole' | 'groupRoles' | 'jit'
> {
  readonly provider: ProviderInput;
}

export interface UpdateConnectionInput extends Omit<ConnectionChange, 'oidc' | 'saml'> {
  readonly provider: ProviderChange;
}

/** The SSO connections of organizations, as their administrators set them up. */
@Injectable()
export class ConnectionsService {
  constructor(
    private readonly database: Database,
    private readonly access: ConnectionAccess,
    private readonly connections: SsoConnectionsStore,
    private readonly setups: ConnectionSetups,
    private readonly changes: ConnectionChanges,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a draft. The provider is asked for its metadata first.
   *
   * @throws {OrganizationNotFound} `organization_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {OrganizationIsPersonal} `personal_organization`
   * @throws {FeatureNotInPlan} `feature_not_in_plan`
   * @throws {ConnectionFieldRefused} `invalid_request`
   * @throws {TooManySsoConnections} `invalid_request`
   * @throws {TooManyAttempts} `burst_limit_exceeded`
   */
  async create(call: Call, org: string, { provider, ...facts }: CreateConnectionInput): Promise<SsoConnection> {
    const orgId = await this.access.orgForNew(call, org);
    const id = this.ids.next(SSO_CONNECTION_ID);
    const setup = await this.setups.prepare(provider, { id, orgId });
    return this.database.transaction(async () => {
      await this.access.lockRoom(call, orgId);
      const connection = drafted({ id, orgId, ...facts, ...setup }, this.clock.now());
      await this.changes.add(connection, call);
      return connection;
    });
  }

  /** Newest first. @throws {OrganizationNotFound} @throws {InsufficientScopes} */
  list(call: Call, org: string, page: PageRequest): Promise<Page<SsoConnection>> {
    return this.connections.list(this.access.orgOf(call, org), page);
  }

  /** @throws {SsoConnectionNotFound} `sso_connection_not_found`, and as {@link list}. */
  get(call: Call, path: ConnectionPath): Promise<SsoConnection> {
    return this.access.get(call, path);
  }

  /**
   * Changes a connection. It is a draft again when another setup leads or names people, and then lets nobody in.
   *
   * @throws as {@link get} and {@link create}.
   * @throws {RoleTooLow} `insufficient_scopes`: only an owner can change who people are in an active connection, and
   * that SSO is required no longer.
   */
  async update(
    call: Call,
    path: ConnectionPath,
    { provider, ...facts }: UpdateConnectionInput,
  ): Promise<SsoConnection> {
    const known = await this.access.getForUse(call, path);
    const setup = await this.setups.prepareChange(known, provider);
    return this.database.transaction(async () => {
      const before = await this.access.lockForUse(call, path);
      return this.changes.apply(before, { ...facts, ...setup }, call);
    });
  }
}
