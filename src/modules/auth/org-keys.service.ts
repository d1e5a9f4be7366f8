import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/time/clock.js';
import type { AuditActor } from '../audit/audit-log.service.js';
import { KeyHistory } from './keys/key-history.js';
import type { ApiKey } from './persistence/api-key.entity.js';
import { ApiKeyStore } from './persistence/api-key.store.js';

/** Who leaves which organization. */
export interface LeavingMember {
  readonly userId: string;
  readonly orgId: string;
}

/** The keys of people whose organization does not want them any more. */
@Injectable()
export class OrgKeysService {
  constructor(
    private readonly keys: ApiKeyStore,
    private readonly history: KeyHistory,
    private readonly clock: Clock,
  ) {}

  /**
   * Takes an organization away from all keys of a person, in the running transaction, and revokes those that reach no
   * other. A personal key reaches the organization through the membership; what it loses is that the person had
   * authorized it for SSO there. The caller raises the epoch of the person afterwards, as with
   * {@link KeysService.revokeAllOf}.
   */
  async leave({ userId, orgId }: LeavingMember, by: AuditActor, reason: string): Promise<void> {
    const now = this.clock.now();
    for (const key of await this.keys.lockReaching(userId, orgId)) {
      const isNamed = key.orgIds.includes(orgId);
      key.forgetSso(orgId, now);
      const ended = isNamed && !key.leaveOrg(orgId, now);
      await this.keys.save(key);
      await this.record(key, { ended, isNamed }, by, reason);
    }
  }

  /** The next home may be an organization that the other one knows nothing of. */
  private record(
    key: ApiKey,
    { ended, isNamed }: { readonly ended: boolean; readonly isNamed: boolean },
    by: AuditActor,
    reason: string,
  ): Promise<void> {
    return ended
      ? this.history.record(by, 'key.revoked', key, { reason })
      : this.history.record({}, 'key.changed', key, { changed: [isNamed ? 'org_ids' : 'sso_org_ids'] });
  }
}
