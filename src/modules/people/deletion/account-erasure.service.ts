import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Mailer } from '../../../platform/mail/mailer.js';
import { Clock } from '../../../platform/time/clock.js';
import { AccountDepartures } from '../../orgs/account-departures.js';
import { accountDeletedMail } from '../mails/account-deleted.templates.js';
import { AccountDeletionsStore } from '../persistence/account-deletions.store.js';
import { PersonalRows } from './personal-rows.js';

/** How long the job has for its attempts. */
const OVERDUE_MS = 3_600_000;
const BATCH = 100;

/** Erases what is left of deleted accounts. Each step can be repeated, so that it may break off anywhere. */
@Injectable()
export class AccountErasureService {
  constructor(
    private readonly database: Database,
    private readonly deletions: AccountDeletionsStore,
    private readonly departures: AccountDepartures,
    private readonly rows: PersonalRows,
    private readonly mailer: Mailer,
    private readonly clock: Clock,
  ) {}

  /** Does nothing for a deletion that is completed. One that breaks off after the message sends another one. */
  async erase(userId: string): Promise<void> {
    const deletion = await this.deletions.find(userId);
    if (deletion === undefined) return;
    await this.leave(userId);
    await this.database.transaction(() => this.rows.eraseAll(userId));
    const { email, username, requestedAt } = deletion;
    if (email !== null)
      await this.mailer.send({ to: email, about: userId, ...accountDeletedMail(username, requestedAt) });
    await this.deletions.complete(userId, this.clock.now());
  }

  /** Goes on with deletions whose job has failed for good. */
  async eraseOverdue(): Promise<void> {
    const requestedBefore = new Date(this.clock.now().getTime() - OVERDUE_MS);
    for (const userId of await this.deletions.inProgress(requestedBefore, BATCH)) await this.erase(userId);
  }

  /** A call that was admitted before may have created or joined an organization since. */
  private leave(userId: string): Promise<void> {
    return this.database.transaction(async () => {
      const departure = await this.departures.prepare(userId);
      if (departure.removed.length + departure.left.length > 0) await this.departures.complete(departure, {});
    });
  }
}
