import { Injectable } from '@nestjs/common';
import { type AuditActor, type AuditedAct, AuditLogService } from '../../audit/audit-log.service.js';
import type { Call } from '../caller.js';
import type { ApiKey } from '../persistence/api-key.entity.js';
import { PersonDirectory } from '../person-directory.js';

type Action = AuditedAct['action'];
type Details = Readonly<Record<string, unknown>>;

/** Records what happens to keys, in the running transaction. */
@Injectable()
export class KeyHistory {
  constructor(
    private readonly people: PersonDirectory,
    private readonly audit: AuditLogService,
  ) {}

  /** Writes to the audit log of the organization that the key belongs to. */
  record(by: Call | AuditActor, action: Action, key: ApiKey, details: Details): Promise<void> {
    return this.audit.record({ orgId: key.homeOrgId, action, target: { type: 'api_key', id: key.id }, details }, by);
  }

  /** {@link record}, and announces the change, so that it applies from the next call with the key. */
  async recordChange(by: Call | AuditActor, action: Action, key: ApiKey, details: Details): Promise<void> {
    await this.people.raiseEpoch(key.userId);
    await this.record(by, action, key, details);
  }
}
