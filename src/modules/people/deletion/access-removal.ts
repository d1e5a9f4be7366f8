import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { KeysService } from '../../auth/keys.service.js';
import { SessionsService } from '../../auth/sessions.service.js';
import { IdentitiesService } from '../../identities/identities.service.js';
import { WaitingChanges } from '../accounts/waiting-changes.js';

/** What lets a person in, or would change that later. */
@Injectable()
export class AccessRemoval {
  constructor(
    private readonly waiting: WaitingChanges,
    private readonly identities: IdentitiesService,
    private readonly keys: KeysService,
    private readonly sessions: SessionsService,
  ) {}

  /**
   * Removes all identities, revokes all keys and ends all sessions, that of the call as well, in the running
   * transaction, which has locked the password.
   */
  async removeAll(userId: string, call: Call): Promise<void> {
    await this.waiting.cancel(userId, call);
    await this.identities.eraseAll(userId);
    await this.keys.revokeAllOf(userId, call, 'account_deleted');
    await this.sessions.endAll(userId, { userId, ip: call.ip }, 'account_deleted');
  }
}
