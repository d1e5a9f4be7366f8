import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { authMailJob } from '../../auth/auth-mail.job.js';
import { AccountAttempts } from '../attempts/account-attempts.js';
import { USER_ID } from '../people.ids.js';
import { UsersStore } from '../persistence/users.store.js';

@Injectable()
export class ForgottenPasswordService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersStore,
    private readonly attempts: AccountAttempts,
    private readonly outbox: Outbox,
    private readonly ids: Ids,
  ) {}

  /**
   * Sends a message for resetting the password if the address has an account. Neither the response nor its time reveals
   * whether it has one: without an account, the same job is added for an id that belongs to no user.
   *
   * @throws {TooManyAttempts} `burst_limit_exceeded`
   */
  async sendReset(email: string, ip: string): Promise<void> {
    await this.attempts.forgotPassword(ip, email);
    const user = await this.users.findByEmail(email);
    const subjectId = user?.id ?? this.ids.next(USER_ID);
    await this.database.transaction(() => this.outbox.enqueue(authMailJob, { kind: 'reset_password', subjectId }));
  }
}
