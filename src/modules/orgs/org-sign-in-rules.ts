import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/time/clock.js';
import { MemberEpochs } from './organizations/member-epochs.js';
import { OrganizationsStore } from './persistence/organizations.store.js';

/** Lets `sso` say which connections of an organization are active. */
@Injectable()
export class OrgSignInRules {
  constructor(
    private readonly organizations: OrganizationsStore,
    private readonly epochs: MemberEpochs,
    private readonly clock: Clock,
  ) {}

  /**
   * Sets the active connections in the running transaction, which locks the organization first. Sessions of others
   * count as sessions without SSO from the next call on. Without a connection, SSO is required no longer, so that
   * nobody is locked out.
   *
   * @returns true when SSO was required and is no longer; undefined for a deleted organization.
   */
  async setConnections(orgId: string, connectionIds: readonly string[]): Promise<boolean | undefined> {
    const before = await this.organizations.lock(orgId);
    if (before === undefined) return undefined;
    await this.organizations.setSsoConnections(orgId, connectionIds, this.clock.now());
    await this.epochs.raise(orgId);
    return before.ssoRequired && connectionIds.length === 0;
  }
}
