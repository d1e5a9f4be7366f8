import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Ids } from '../../platform/ids/ids.js';
import { Clock } from '../../platform/time/clock.js';
import type { Call } from '../auth/caller.js';
import { OrgDirectory } from '../orgs/org-directory.js';
import { InstallationNotFound, InstallationTaken } from './github.errors.js';
import { INSTALLATION_ID } from './github.ids.js';
import { AccountOwnership } from './installations/account-ownership.js';
import { GithubLinks } from './installations/github-links.js';
import { GithubInstallation } from './persistence/github-installation.entity.js';
import { GithubInstallationsStore } from './persistence/github-installations.store.js';

/** The parameters that GitHub adds when it redirects a person back. */
export interface LinkAnswer {
  readonly state: string;
  readonly code: string;
  readonly installationId: number;
}

/** Manages the GitHub accounts that organizations have connected. */
@Injectable()
export class GithubInstallations {
  constructor(
    private readonly database: Database,
    private readonly installations: GithubInstallationsStore,
    private readonly links: GithubLinks,
    private readonly ownership: AccountOwnership,
    private readonly owners: OrgDirectory,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  list({ org }: Call): Promise<GithubInstallation[]> {
    return this.installations.list(org.id);
  }

  /**
   * Connects the account. The caller must be the person who began: a state alone, opened in the browser of a lured
   * user, would connect that user's repositories to another organization. GitHub confirms with the person's own
   * authorization that the person administers the account, because the number of an installation proves nothing.
   *
   * @throws {GithubNotConfigured} `integration_not_configured`
   * @throws {LinkStateInvalid} `invalid_link_state`
   * @throws {GithubAccessDenied} `github_access_denied`
   * @throws {InstallationTaken} `already_exists`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {GithubRefused} `upstream_error`
   */
  async finish(call: Call, { state, code, installationId }: LinkAnswer): Promise<GithubInstallation> {
    const orgId = await this.links.take(call, state);
    const remote = await this.ownership.prove(code, installationId);
    return this.database.transaction(async () => {
      await this.owners.lockAndGetPlan(call, orgId);
      const { id: accountId, login: account, type: accountType } = remote.account;
      const installation = GithubInstallation.connected(
        {
          orgId,
          installationId,
          accountId,
          account,
          accountType,
          connectedBy: call.principal.user.id,
          suspendedAt: remote.suspended_at === null ? null : new Date(remote.suspended_at),
        },
        { id: this.ids.next(INSTALLATION_ID), at: this.clock.now() },
      );
      await this.releaseIfDeleted(installationId);
      if (!(await this.installations.connect(installation))) throw new InstallationTaken(account);
      await this.owners.record(
        {
          orgId,
          action: 'github.connected',
          target: { type: 'github_installation', id: String(installationId) },
          details: { account },
        },
        call,
      );
      return (await this.installations.findByNumber(installationId))!;
    });
  }

  /** An installation that a deleted organization had connected is free. */
  private async releaseIfDeleted(installationId: number): Promise<void> {
    const holder = await this.installations.findByNumber(installationId);
    if (holder !== null && (await this.owners.slugOf(holder.orgId)) === undefined)
      await this.installations.remove(holder.id);
  }

  /**
   * Disconnects the account, so that the service loses access to it. The app stays installed at GitHub until its owner
   * removes it.
   *
   * @throws {InstallationNotFound} `github_installation_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  disconnect(call: Call, id: string): Promise<void> {
    return this.database.transaction(async () => {
      const installation = await this.installations.find(id, call.principal.lookupOrgIds);
      if (installation === null) throw new InstallationNotFound();
      const { orgId, installationId, account } = installation;
      call.principal.require('orgs:write', orgId);
      await this.installations.remove(id);
      await this.owners.record(
        {
          orgId,
          action: 'github.disconnected',
          target: { type: 'github_installation', id: String(installationId) },
          details: { account },
        },
        call,
      );
    });
  }

  /** Returns the organization that has connected an installation, or null. For deliveries of GitHub. */
  async ownerOf(installationId: number): Promise<string | null> {
    return (await this.installations.findByNumber(installationId))?.orgId ?? null;
  }

  /**
   * Applies a change that GitHub reports: the installation was deleted, suspended or unsuspended. Safe to run twice.
   */
  async changed(installationId: number, action: string): Promise<void> {
    const installation = await this.installations.findByNumber(installationId);
    if (installation === null) return;
    if (action === 'deleted') await this.installations.remove(installation.id);
    if (action === 'suspend') await this.installations.suspend(installationId, this.clock.now());
    if (action === 'unsuspend') await this.installations.suspend(installationId, null);
  }
}
