import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import { ApiKeyRevoked, SessionInvalid } from '../auth.errors.js';
import type { Call } from '../caller.js';
import { ApiKeyStore } from '../persistence/api-key.store.js';
import { SessionsStore } from '../persistence/sessions.store.js';
import { PersonDirectory } from '../person-directory.js';

/** Holds off a password reset while a key is minted, so that no key slips past the reset that revokes them all. */
@Injectable()
export class LiveCredential {
  constructor(
    private readonly people: PersonDirectory,
    private readonly sessions: SessionsStore,
    private readonly keys: ApiKeyStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Until the transaction ends, no reset begins; and one that came first has ended the credential of this call.
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
