import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Ids } from '../../platform/ids/ids.js';
import { Log } from '../../platform/logging/log.js';
import { Clock } from '../../platform/time/clock.js';
import type { Call } from '../auth/caller.js';
import { OrgDirectory } from '../orgs/org-directory.js';
import { GithubClient, type RemoteInstallation } from './client/github-client.js';
import { GithubAccessDenied, InstallationNotFound, InstallationTaken, LinkStateInvalid } from './github.errors.js';
import { INSTALLATION_ID, LINK_STATE_ID } from './github.ids.js';
import { LinkState } from './installations/link-state.js';
import { GithubInstallation } from './persistence/github-installation.entity.js';
import { GithubInstallationsStore } from './persistence/github-installations.store.js';

const LIFETIME_MS = 15 * 60_000;

/** Where somebody goes to connect an account. */
export interface Link {
  /** To install the app on an account. */
  readonly installUrl: string;
  /** For an account that has the app already. */
  readonly authorizeUrl: string;
  readonly expiresAt: Date;
}

/** What GitHub sends a person back with. */
export interface LinkAnswer {
  readonly state: string;
  readonly code: string;
  readonly installationId: number;
}

/** Which GitHub accounts an organization has connected. */
@Injectable()
export class GithubInstallations {
  constructor(
    private readonly database: Database,
    private readonly installations: GithubInstallationsStore,
    private readonly github: GithubClient,
    private readonly states: LinkState,
    private readonly owners: OrgDirectory,
    private readonly ids: Ids,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  list({ org }: Call): Promise<GithubInstallation[]> {
    return this.installations.list(org.id);
  }

  /**
   * Begins to connect an account to the organization of the call. @throws {GithubNotConfigured}
   * `integration_not_configured`
   */
  async begin({ org, principal }: Call): Promise<Link> {
    const { url, slug, clientId } = this.github.app;
    const id = this.ids.next(LINK_STATE_ID);
    const expiresAt = new Date(this.clock.now().getTime() + LIFETIME_MS);
    await this.installations.begin({ id, orgId: org.id, userId: principal.user.id, expiresAt });
    const state = encodeURIComponent(this.states.sign(id, principal.user.id));
    return {
      installUrl: `${url}/apps/${slug}/installations/new?state=${state}`,
      authorizeUrl: `${url}/login/oauth/authorize?client_id=${encodeURIComponent(clientId)}&state=${state}`,
      expiresAt,
    };
  }

  /**
   * Connects the account. The caller must be the person who began: a state alone, in the browser of somebody who was
   * led there, would give that person's repositories to another's organization. That the person may do this is asked
   * of GitHub, with the person's own authorization: the number of an installation proves nothing, anybody can send it.
   *
   * @throws {GithubNotConfigured} `integration_not_configured`
   * @throws {LinkStateInvalid} `invalid_link_state`
   * @throws {GithubAccessDenied} `github_access_denied`
   * @throws {InstallationTaken} `already_exists`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {GithubRefused} `upstream_error`
   */
  async finish(call: Call, { state, code, installationId }: LinkAnswer): Promise<GithubInstallation> {
    const orgId = await this.take(call, state);
    const remote = await this.proven(code, installationId);
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

  /**
   * The service sees nothing of the account any more. At GitHub the app stays installed until somebody takes it away.
   *
   * @throws {InstallationNotFound} `github_installation_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  disconnect(call: Call, id: string): Promise<void> {
    return this.database.transaction(async () => {
      const installation = await this.installations.find(id, call.principal.orgIds);
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

  /** The organization that an installation belongs to; null for one that nobody connected. For what GitHub tells. */
  async ownerOf(installationId: number): Promise<string | null> {
    return (await this.installations.findByNumber(installationId))?.orgId ?? null;
  }

  /** What GitHub tells of an installation: it is gone, or suspended, or not any more. May be told twice. */
  async changed(installationId: number, action: string): Promise<void> {
    const installation = await this.installations.findByNumber(installationId);
    if (installation === null) return;
    if (action === 'deleted') await this.installations.remove(installation.id);
    if (action === 'suspend') await this.installations.suspend(installationId, this.clock.now());
    if (action === 'unsuspend') await this.installations.suspend(installationId, null);
  }

  /** The organization that the state was made for; the state is used up, whatever comes then. */
  private async take({ principal }: Call, state: string): Promise<string> {
    const userId = principal.user.id;
    const id = this.states.read(state, userId);
    const taken = id === null ? null : await this.installations.take(id, userId);
    if (taken === null || taken.expiresAt < this.clock.now() || principal.membershipIn(taken.orgId) === undefined)
      throw new LinkStateInvalid();
    principal.require('orgs:write', taken.orgId);
    return taken.orgId;
  }

  /** The installation, if the person whose code this is administers the account that has it. */
  private async proven(code: string, installationId: number): Promise<RemoteInstallation> {
    const token = await this.github.userToken(code);
    if (token === null)
      throw new GithubAccessDenied(
        'GitHub does not know the code.',
        'A code is good once, for ten minutes. Begin again.',
      );
    try {
      const installation = await this.github.installation(installationId);
      const isTheirs = installation !== null && (await this.administers(token, installation));
      if (!isTheirs)
        throw new GithubAccessDenied(
          'The person on GitHub does not administer the account of that installation.',
          'Somebody who owns the account on GitHub can connect it.',
        );
      return installation;
    } finally {
      await this.github.forget(token).catch((error: unknown) => {
        this.log.warn({ error }, 'An authorization of a person at GitHub could not be given back.');
      });
    }
  }

  /** To see an installation is not enough: each collaborator of one repository does, and it leads to all of them. */
  private async administers(token: string, { account }: RemoteInstallation): Promise<boolean> {
    return account.type === 'Organization'
      ? this.github.administers(token, account.login)
      : (await this.github.user(token)).id === account.id;
  }
}
