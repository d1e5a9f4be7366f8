import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { OrgSignInRules } from '../../orgs/org-sign-in-rules.js';
import { RoleTooLow } from '../../orgs/orgs.errors.js';
import { SsoConnectionsStore } from '../persistence/sso-connections.store.js';
import { ConnectionHistory } from './connection-history.js';

/** Announces which connections of an organization are active, so that sessions through the others count no longer. */
@Injectable()
export class ActiveConnections {
  constructor(
    private readonly connections: SsoConnectionsStore,
    private readonly rules: OrgSignInRules,
    private readonly orgs: OrgDirectory,
    private readonly history: ConnectionHistory,
  ) {}

  /**
   * Joins the running transaction, which has locked the organization, as its last change: it locks rows of people.
   * Without an active connection SSO is required no longer. Only an owner can do that, because an owner required it.
   *
   * @param call undefined when the service itself acted.
   * @throws {RoleTooLow} `insufficient_scopes`
   */
  async announce(orgId: string, call: Call | undefined): Promise<void> {
    const isLifted = await this.rules.setConnections(orgId, await this.connections.activeIds(orgId));
    if (isLifted !== true) return;
    if (call !== undefined) await this.requireOwner(orgId, call);
    await this.history.recordLift(orgId, call);
  }

  /**
   * A connection says who a person is, an owner too: an administrator could become one by setting it up.
   *
   * @throws {RoleTooLow} `insufficient_scopes`
   */
  async requireOwner(orgId: string, { principal }: Call): Promise<void> {
    if ((await this.orgs.ownerIdsOf(orgId)).includes(principal.user.id)) return;
    throw new RoleTooLow(principal.orgOf(orgId).role, 'owner');
  }
}
