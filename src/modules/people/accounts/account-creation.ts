import { Injectable } from '@nestjs/common';
import { Ids } from '../../../platform/ids/ids.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { Clock } from '../../../platform/time/clock.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import { authMailJob } from '../../auth/auth-mail.job.js';
import type { FirstFactorMethod } from '../../auth/sign-in-method.js';
import { SlugTaken } from '../../orgs/orgs.errors.js';
import { PersonalOrgs } from '../../orgs/personal-orgs.js';
import { UsernameTaken } from '../people.errors.js';
import { USER_ID } from '../people.ids.js';
import type { User } from '../persistence/user.entity.js';
import { UsersStore } from '../persistence/users.store.js';

interface NewAccount {
  readonly username: string;
  readonly email: string;
  /** The hash of random bytes if the account is made through a provider. */
  readonly passwordHash: string;
  /** How the person signs up. */
  readonly method: FirstFactorMethod;
  /** True when the provider says that the person reads the mail of the address. */
  readonly emailVerified: boolean;
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
   * email address, unless it is verified.
   *
   * @throws {UsernameTaken} `username_taken`
   * @throws {EmailTaken} `email_taken`
   */
  async create({ method, emailVerified, ...account }: NewAccount, ip: string): Promise<User> {
    const now = this.clock.now();
    const user = {
      id: this.ids.next(USER_ID),
      ...account,
      emailVerifiedAt: emailVerified ? now : null,
      hasPassword: method === 'password',
      secondFactor: false,
      authEpoch: '0',
      createdAt: now,
      updatedAt: now,
      deletedAt: null,
    };
    await this.users.insert(user);
    const organization = await this.createOrganization(user);
    await this.audit.record(
      {
        orgId: organization.id,
        action: 'person.signed_up',
        target: { type: 'user', id: user.id },
        details: { method },
      },
      { userId: user.id, ip },
    );
    if (!emailVerified) await this.outbox.enqueue(authMailJob, { kind: 'verify_email', subjectId: user.id });
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
