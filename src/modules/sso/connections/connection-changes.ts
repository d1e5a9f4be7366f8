import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { SsoConnectionsStore } from '../persistence/sso-connections.store.js';
import { ActiveConnections } from './active-connections.js';
import { ConnectionHistory } from './connection-history.js';
import { ConnectionPeople } from './connection-people.js';
import {
  activated,
  changed,
  type ConnectionChange,
  type ConnectionPauseReason,
  namesOthers,
  paused,
  type SsoConnection,
} from './sso-connection.js';

/** Changes connections with everything that follows. The running transaction has locked organization and connection. */
@Injectable()
export class ConnectionChanges {
  constructor(
    private readonly connections: SsoConnectionsStore,
    private readonly active: ActiveConnections,
    private readonly people: ConnectionPeople,
    private readonly history: ConnectionHistory,
    private readonly clock: Clock,
  ) {}

  async add(connection: SsoConnection, call: Call): Promise<void> {
    await this.connections.insert(connection);
    await this.history.record(call, 'sso_connection.created', connection);
  }

  /** @throws {ConnectionNotTested} `connection_not_tested`, {RoleTooLow} `insufficient_scopes` */
  async activate(before: SsoConnection, call: Call): Promise<SsoConnection> {
    const after = activated(before, this.clock.now());
    if (after === before) return before;
    await this.active.requireOwner(after.orgId, call);
    await this.connections.save(after);
    await this.history.record(call, 'sso_connection.activated', after);
    await this.active.announce(after.orgId, call);
    return after;
  }

  /** @throws {RoleTooLow} `insufficient_scopes` */
  async apply(before: SsoConnection, change: ConnectionChange, call: Call): Promise<SsoConnection> {
    if (before.status === 'active' && saysWhoPeopleAre(change)) await this.active.requireOwner(before.orgId, call);
    const after = changed(before, change, this.clock.now());
    await this.connections.save(after);
    // A sign-in that began before must not test what was changed since.
    if (after.status === 'draft') await this.people.endSignIns(after.id);
    const forgotten = namesOthers(before, after) ? await this.people.forget(after.id, call) : 0;
    const details = { fields: fieldsOf(change), ...(forgotten === 0 ? {} : { people_forgotten: forgotten }) };
    await this.history.record(call, 'sso_connection.changed', after, details);
    if (before.status === 'active' && after.status !== 'active') await this.active.announce(after.orgId, call);
    return after;
  }

  /** {@link apply} for a pause. The caller announces what is active then. */
  async pause(before: SsoConnection, reason: ConnectionPauseReason, call: Call | undefined): Promise<SsoConnection> {
    const after = paused(before, reason, this.clock.now());
    if (after === before) return before;
    await this.connections.save(after);
    await this.people.endSignIns(after.id);
    await this.history.record(call, 'sso_connection.paused', after, { reason });
    return after;
  }

  /** Deletes a connection with the identities and sessions of its people. The caller announces what is active then. */
  async delete(connection: SsoConnection, call: Call | undefined): Promise<void> {
    const forgotten = await this.people.forget(connection.id, call ?? {});
    await this.connections.delete(connection.id);
    await this.history.record(call, 'sso_connection.deleted', connection, { people_forgotten: forgotten });
  }
}

/** The names of what was sent, without the values. */
const fieldsOf = (change: ConnectionChange): string[] =>
  Object.entries(change)
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name)
    .sort();

const saysWhoPeopleAre = ({ oidc, saml, mapping }: ConnectionChange): boolean =>
  oidc !== undefined || saml !== undefined || mapping !== undefined;
