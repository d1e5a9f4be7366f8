import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Outbox } from '../../platform/outbox/outbox.js';
import { Clock } from '../../platform/time/clock.js';
import { authMailJob } from '../auth/auth-mail.job.js';
import { FactorSet } from './changes/factor-set.js';
import { FactorHistory } from './history/factor-history.js';
import { type FactorRecovery, RecoveriesStore } from './persistence/recoveries.store.js';

const WAIT_MS = 48 * 3_600_000;
const REMIND_AFTER_MS = 24 * 3_600_000;
const BATCH = 100;

/**
 * The way back for people who have lost all of their factors, and who know the password. It takes 48 hours, in which
 * messages tell the owner of the address, and any sign-in with a factor or a new password stops it.
 */
@Injectable()
export class FactorRecoveryService {
  constructor(
    private readonly database: Database,
    private readonly recoveries: RecoveriesStore,
    private readonly set: FactorSet,
    private readonly history: FactorHistory,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /** Returns when the factors are removed. Asking again does not change it, nor sends another message. */
  async request(userId: string, ip: string): Promise<Date> {
    return this.database.transaction(async () => {
      const requestedAt = this.clock.now();
      const dueAt = new Date(requestedAt.getTime() + WAIT_MS);
      if (!(await this.recoveries.insert({ userId, ip, requestedAt, dueAt })))
        return (await this.recoveries.find(userId))?.dueAt ?? dueAt;
      await this.history.record({ userId, action: 'recovery_requested' }, { userId, ip });
      return dueAt;
    });
  }

  find(userId: string): Promise<FactorRecovery | undefined> {
    return this.recoveries.find(userId);
  }

  /** Stops a recovery in the running transaction. */
  async cancel(userId: string): Promise<void> {
    if (await this.recoveries.delete(userId)) await this.history.record({ userId, action: 'recovery_cancelled' }, {});
  }

  /** Reminds of recoveries half their time before they are due, and completes those that are. */
  async advance(): Promise<void> {
    const now = this.clock.now();
    await this.database.transaction(async () => {
      const requestedBefore = new Date(now.getTime() - REMIND_AFTER_MS);
      for (const userId of await this.recoveries.remind(requestedBefore, now))
        await this.outbox.enqueue(authMailJob, { kind: 'factor_recovery', subjectId: userId });
    });
    for (const userId of await this.recoveries.dueAt(now, BATCH))
      await this.database.transaction(() => this.complete(userId, now));
  }

  private async complete(userId: string, now: Date): Promise<void> {
    const recovery = await this.recoveries.take(userId, now);
    if (recovery === undefined) return;
    await this.set.recovered(userId, { requested_from: recovery.ip });
  }
}
