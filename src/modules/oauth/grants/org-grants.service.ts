import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import type { Call } from '../../auth/caller.js';
import { GrantKeysService } from '../../auth/grant-keys.service.js';
import { PersonDirectory } from '../../auth/person-directory.js';
import { OrgOfPath } from '../../orgs/org-of-path.js';
import { GrantNotFound } from '../oauth.errors.js';
import { type OauthGrant, OauthGrantsStore } from '../persistence/oauth-grants.store.js';
import { OauthGrantsService } from './oauth-grants.service.js';

/** A grant of a member that reaches the organization. */
export interface OrgGrant {
  readonly grant: OauthGrant;
  readonly username: string;
  readonly lastUsedAt: Date | null;
}

/**
 * What members granted to OAuth clients within an organization, for those who manage its members. Where else a client
 * reaches is the business of the member alone: an organization neither sees nor ends that.
 */
@Injectable()
export class OrgGrantsService {
  constructor(
    private readonly database: Database,
    private readonly paths: OrgOfPath,
    private readonly store: OauthGrantsStore,
    private readonly grants: OauthGrantsService,
    private readonly keys: GrantKeysService,
    private readonly people: PersonDirectory,
  ) {}

  /**
   * Lists grants that have not ended, newest first.
   *
   * @throws {OrganizationNotFound} `organization_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async list(orgIdOrSlug: string, page: PageRequest, call: Call): Promise<Page<OrgGrant>> {
    const { id: orgId } = this.paths.require(call, orgIdOrSlug, 'orgs:members');
    const { items, next } = await this.keys.pageIn(orgId, page);
    const grants = await this.store.ofKeys(items.map(({ id }) => id));
    const usernames = await this.people.usernamesOf([...new Set(items.map(({ userId }) => userId))]);
    const shown = items.flatMap(({ id, userId, lastUsedAt }) => {
      const grant = grants.get(id);
      return grant === undefined ? [] : [{ grant, username: usernames.get(userId) ?? '', lastUsedAt }];
    });
    return { items: shown, next };
  }

  /**
   * Ends the access of a client to the organization from its next call on. A grant that reaches others goes on there.
   *
   * @throws {OrganizationNotFound} `organization_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {GrantNotFound} `grant_not_found`
   */
  async end(orgIdOrSlug: string, grantId: string, call: Call): Promise<void> {
    const { id: orgId } = this.paths.require(call, orgIdOrSlug, 'orgs:members');
    await this.database.transaction(async () => {
      if (!(await this.grants.withdraw(grantId, orgId, call)))
        throw new GrantNotFound(`List the grants with GET /api/v1/orgs/${orgId}/grants.`);
    });
  }
}
