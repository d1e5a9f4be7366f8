import { Injectable } from '@nestjs/common';
import type { AuditActor } from '../../audit/audit-log.service.js';
import { KeysService } from '../../auth/keys.service.js';
import { IdentitiesService } from '../../identities/identities.service.js';

/** What lets a person in without the password, and may have been made by another person who had access. */
@Injectable()
export class DoubtfulAccess {
  constructor(
    private readonly keys: KeysService,
    private readonly identities: IdentitiesService,
  ) {}

  /** Revokes the keys and removes the identities in the running transaction. Returns the number of keys. */
  async end(userId: string, by: AuditActor, reason = 'password_reset'): Promise<number> {
    await this.identities.removeAll(userId, by);
    return this.keys.revokeAllOf(userId, by, reason);
  }
}
