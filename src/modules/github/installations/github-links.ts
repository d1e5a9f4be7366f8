import { Injectable } from '@nestjs/common';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { GithubClient } from '../client/github-client.js';
import { LinkStateInvalid } from '../github.errors.js';
import { LINK_STATE_ID } from '../github.ids.js';
import { GithubInstallationsStore } from '../persistence/github-installations.store.js';
import { LinkState } from './link-state.js';

const LIFETIME_MS = 15 * 60_000;

/** The pages on which a person connects an account. */
export interface Link {
  /** Installs the app on an account. */
  readonly installUrl: string;
  /** Authorizes an account that has the app already. */
  readonly authorizeUrl: string;
  readonly expiresAt: Date;
}

/** Starts connections of GitHub accounts, and checks who finishes them. */
@Injectable()
export class GithubLinks {
  constructor(
    private readonly installations: GithubInstallationsStore,
    private readonly github: GithubClient,
    private readonly states: LinkState,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Starts to connect an account to the organization of the call.
   *
   * @throws {GithubNotConfigured} `integration_not_configured`
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
   * Returns the organization that the state was issued for. The state is used up, even if the connection fails later.
   *
   * @throws {LinkStateInvalid} `invalid_link_state`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async take({ principal }: Call, state: string): Promise<string> {
    const userId = principal.user.id;
    const id = this.states.read(state, userId);
    const taken = id === null ? null : await this.installations.take(id, userId);
    if (taken === null || taken.expiresAt < this.clock.now() || principal.membershipIn(taken.orgId) === undefined)
      throw new LinkStateInvalid();
    principal.require('orgs:write', taken.orgId);
    return taken.orgId;
  }
}
