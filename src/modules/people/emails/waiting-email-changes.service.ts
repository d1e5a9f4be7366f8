import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { Clock } from '../../../platform/time/clock.js';
import { authMailJob } from '../../auth/auth-mail.job.js';
import { EmailTaken } from '../people.errors.js';
import { EmailChangesStore } from '../persistence/email-changes.store.js';
import { UsersStore } from '../persistence/users.store.js';
import type { EmailChange } from './email-change.js';
import { EmailChangeCompletion } from './email-change-completion.js';
import { EmailChangeHistory } from './email-change-history.js';

const REMIND_AFTER_MS = 24 * 3_600_000;
const BATCH = 100;

/** The way for people who have lost their old address: a proven change is made after 48 hours, and two messages. */
@Injectable()
export class WaitingEmailChangesService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersStore,
    private readonly changes: EmailChangesStore,
    private readonly completion: EmailChangeCompletion,
    private readonly history: EmailChangeHistory,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /** Reminds old addresses half their time before it is over, and makes the changes whose time is. */
  async advance(): Promise<void> {
    const now = this.clock.now();
    await this.database.transaction(async () => {
      const requestedBefore = new Date(now.getTime() - REMIND_AFTER_MS);
      for (const subjectId of await this.changes.remind(requestedBefore, now))
        await this.outbox.enqueue(authMailJob, { kind: 'approve_email', subjectId });
    });
    for (const userId of await this.changes.dueAt(now, BATCH)) await this.complete(userId, now);
  }

  private async complete(userId: string, now: Date): Promise<void> {
    try {
      await this.inTurn(userId, now, (change) => this.completion.complete(change, {}));
    } catch (error) {
      if (!(error instanceof EmailTaken)) throw error;
      await this.inTurn(userId, now, async ({ fields: change }) => {
        await this.changes.end(change.id, 'address_taken', now);
        await this.history.record({ change, action: 'change_failed', details: { reason: 'address_taken' } }, {});
        await this.history.announce(userId);
      });
    }
  }

  /** A change that was cancelled or made meanwhile is not there any more. */
  private inTurn(userId: string, now: Date, work: (change: EmailChange) => Promise<void>): Promise<void> {
    return this.database.transaction(async () => {
      await this.users.lockPassword(userId);
      const change = await this.changes.findPending(userId, now);
      if (change?.isProven() === true && change.isApproved(now)) await work(change);
    });
  }
}
