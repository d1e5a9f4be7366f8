import { Injectable } from '@nestjs/common';
import { ConnectionDirectory, type WantedConnection } from '../../identities/connection-directory.js';
import { SsoConnectionNotFound } from '../../identities/identities.errors.js';
import type { IdentityProvider } from '../../identities/identity-provider.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { PLANS } from '../../plans/plan.js';
import { VerifiedDomains } from '../domains/verified-domains.js';
import { SsoConnectionsStore } from '../persistence/sso-connections.store.js';
import { ConnectionProviders } from './connection-providers.js';

/** Finds the connections that people sign in through. */
@Injectable()
export class SsoConnectionDirectory extends ConnectionDirectory {
  constructor(
    private readonly connections: SsoConnectionsStore,
    private readonly domains: VerifiedDomains,
    private readonly orgs: OrgDirectory,
    private readonly providers: ConnectionProviders,
  ) {
    super();
  }

  async find(wanted: WantedConnection): Promise<string> {
    const orgId = await this.orgIdOf(wanted);
    const plan = orgId === undefined ? undefined : await this.orgs.planOf(orgId);
    // Connections are paused moments after the plan is lost.
    if (orgId === undefined || plan === undefined || !PLANS[plan].features.sso) throw new SsoConnectionNotFound();
    const connection = await this.connections.findActive(orgId);
    if (connection === undefined) throw new SsoConnectionNotFound();
    return connection.id;
  }

  /** The status does not matter: tests go through drafts. Who completes a sign-in asks for an active connection. */
  async providerOf(connectionId: string): Promise<IdentityProvider> {
    const connection = await this.connections.find(connectionId);
    if (connection === undefined) throw new SsoConnectionNotFound();
    return this.providers.of(connection);
  }

  private async orgIdOf({ email, org }: WantedConnection): Promise<string | undefined> {
    if (org !== undefined) return this.orgs.idOf(org);
    const domain = email?.slice(email.lastIndexOf('@') + 1);
    return domain === undefined ? undefined : this.domains.orgIdOf(domain);
  }
}
