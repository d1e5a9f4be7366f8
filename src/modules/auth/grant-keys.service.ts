import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../../platform/database/page.js';
import { Clock } from '../../platform/time/clock.js';
import type { Call } from './caller.js';
import { KeyHistory } from './keys/key-history.js';
import type { ApiKey } from './persistence/api-key.entity.js';
import { ApiKeyStore } from './persistence/api-key.store.js';

/** A key of an OAuth client whose organizations an organization changed. */
export interface WithdrawnKey {
  readonly key: ApiKey;
  /** True when the organization was the only one, so that the key is revoked. */
  readonly ended: boolean;
}

/** The keys of OAuth clients, as the organizations see them that they reach. */
@Injectable()
export class GrantKeysService {
  constructor(
    private readonly keys: ApiKeyStore,
    private readonly history: KeyHistory,
    private readonly clock: Clock,
  ) {}

  /** Lists the keys that reach an organization and are not revoked, newest first. */
  pageIn(orgId: string, page: PageRequest): Promise<Page<ApiKey>> {
    return this.keys.pageGranted(orgId, page);
  }

  /** Returns the organizations of the key of a grant; none for an unknown key. */
  async orgIdsOf(keyId: string): Promise<readonly string[]> {
    return (await this.keys.findById(keyId))?.orgIds ?? [];
  }

  /**
   * Takes an organization away from a key from its next call on, in the running transaction, and revokes the key if it
   * was the only one. Returns undefined for a key that does not reach the organization.
   */
  async withdraw(keyId: string, orgId: string, by: Call): Promise<WithdrawnKey | undefined> {
    const key = await this.keys.lockGranted(keyId);
    if (key === null || key.revokedAt !== null || !key.orgIds.includes(orgId)) return undefined;
    const ended = !key.leaveOrg(orgId, this.clock.now());
    await this.keys.save(key);
    if (ended) await this.history.recordChange(by, 'key.revoked', key, { reason: 'grant_organization' });
    // The next home may be an organization that the caller knows nothing of, and that learns nothing of the caller.
    else await this.history.recordChange({}, 'key.changed', key, { changed: ['org_ids'] });
    return { key, ended };
  }
}
