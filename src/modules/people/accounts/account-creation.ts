import { Injectable } from '@nestjs/common';
import { Ids } from '../../../platform/ids/ids.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { Clock } from '../../../platform/time/clock.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import { authMailJob } from '../../auth/auth-mail.job.js';
import { SlugTaken } from '../../orgs/orgs.errors.js';
import { PersonalOrgs } from '../../orgs/personal-orgs.js';
import { UsernameTaken } from '../people.errors.js';
import { USER_ID } from '../people.ids.js';
import type { User } from '../persistence/user.entity.js';
import { UsersStore } from '../persistence/users.store.js';

interface NewAccount {
  readonly username: string;
  readonly email: string;
  readonly passwordHash: string;
}

/** Creates a user together with everything that each account has from the start. */
@Injectable()
export class AccountCreation {
  constructor(
    private readonly users: UsersStore,
    private readonly organizations: PersonalOrgs,
    private readonly audit: AuditLogService,
    private readonly outbox: Outbox,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates the user and the personal organization in the running transaction, and sends the message that verifies the
   * email address.
   *
   * @throws {UsernameTaken} `username_taken`
   * @throws {EmailTaken} `email_taken`
   */
  async create(account: NewAccount, ip: string): Promise<User> {
    const now = this.clock.now();
    const user = {
      id: this.ids.next(USER_ID),
      ...account,
      emailVerifiedAt: null,
      authEpoch: '0',
      createdAt: now,
      updatedAt: now,
    };
    await this.users.insert(user);
    const organization = await this.createOrganization(user);
    await this.audit.record(
      { orgId: organization.id, action: 'person.signed_up', target: { type: 'user', id: user.id } },
      { userId: user.id, ip },
    );
    await this.outbox.enqueue(authMailJob, { kind: 'verify_email', subjectId: user.id });
    return user;
  }

  /** @throws {UsernameTaken} `username_taken`: an organization has that slug. */
  private async createOrganization(user: { id: string; username: string }): Promise<{ id: string }> {
    try {
      return await this.organizations.create(user);
    } catch (error) {
      throw error instanceof SlugTaken ? new UsernameTaken() : error;
    }
  }
}
