import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import { ApiKeyRevoked, SessionInvalid } from '../auth.errors.js';
import type { Call } from '../caller.js';
import { ApiKeyStore } from '../persistence/api-key.store.js';
import { SessionsStore } from '../persistence/sessions.store.js';
import { PersonDirectory } from '../person-directory.js';

/** Blocks a password reset while a key is created, so that no new key escapes a reset that revokes all keys. */
@Injectable()
export class LiveCredential {
  constructor(
    private readonly people: PersonDirectory,
    private readonly sessions: SessionsStore,
    private readonly keys: ApiKeyStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Blocks resets until the transaction ends. If a reset came first, it has ended the credential of this call.
   *
   * @throws {SessionInvalid} `invalid_session`
   * @throws {ApiKeyRevoked} `revoked_api_key`
   */
  async hold({ principal: { user, credential } }: Call): Promise<void> {
    await this.people.holdOffPasswordChange(user.id);
    if (credential.type === 'session') {
      if (!(await this.sessions.isLive(credential.sessionId, this.clock.now()))) throw new SessionInvalid();
    } else if ((await this.keys.findById(credential.keyId))?.revokedAt !== null) {
      throw new ApiKeyRevoked();
    }
  }
}
