import { Injectable } from '@nestjs/common';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import { SessionRequired } from '../../auth/auth.errors.js';
import { AuthSettings } from '../../auth/auth.settings.js';
import type { Call } from '../../auth/caller.js';
import { EMAIL_CHANGE_ID } from '../people.ids.js';
import { EmailChangesStore } from '../persistence/email-changes.store.js';
import type { User } from '../persistence/user.entity.js';
import { EmailChange } from './email-change.js';

@Injectable()
export class EmailChangeCreation {
  constructor(
    private readonly changes: EmailChangesStore,
    private readonly settings: AuthSettings,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates the change of a person without one, in the running transaction.
   *
   * @throws {SessionRequired} `session_required`
   */
  async create(
    { id, email, emailVerifiedAt }: User,
    newEmail: string,
    { principal: { credential }, ip }: Call,
  ): Promise<EmailChange> {
    if (credential.type !== 'session') throw new SessionRequired();
    const change = EmailChange.requested(
      {
        id: this.ids.next(EMAIL_CHANGE_ID),
        userId: id,
        sessionId: credential.sessionId,
        ip,
        oldEmail: email,
        newEmail,
        // Such an address gets no notices either: its owner may never have signed up, and the account can do little.
        asksOldAddress: !this.settings.needsVerification(emailVerifiedAt !== null),
      },
      this.clock.now(),
    );
    await this.changes.insert(change);
    return change;
  }
}
