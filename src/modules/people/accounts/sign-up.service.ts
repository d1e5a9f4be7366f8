import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { Clock } from '../../../platform/time/clock.js';
import { LimitExceeded } from '../../limits/limits.errors.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import { authMailJob } from '../../auth/auth-mail.job.js';
import { SlugTaken } from '../../orgs/orgs.errors.js';
import { PersonalOrgs } from '../../orgs/personal-orgs.js';
import { UsersStore } from '../persistence/users.store.js';
import { type Origin, SessionsService } from '../../auth/sessions.service.js';
import { AccountAttempts } from '../attempts/account-attempts.js';
import { type Account, AccountsService } from './accounts.service.js';
import { AuthMetrics } from './auth.metrics.js';
import { KnownAddresses } from './known-addresses.js';
import { UsernameTaken } from '../people.errors.js';
import { PasswordsService } from './passwords.service.js';
import { USER_ID } from '../people.ids.js';

export interface SignUpInput {
  readonly username: string;
  readonly email: string;
  readonly password: string;
}

export interface SignedIn extends Account {
  /** Shown this once. */
  readonly sessionToken: string;
}

/** Makes accounts. */
@Injectable()
export class SignUpService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersStore,
    private readonly accounts: AccountsService,
    private readonly organizations: PersonalOrgs,
    private readonly sessions: SessionsService,
    private readonly addresses: KnownAddresses,
    private readonly passwords: PasswordsService,
    private readonly attempts: AccountAttempts,
    private readonly audit: AuditLogService,
    private readonly outbox: Outbox,
    private readonly metrics: AuthMetrics,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes a person, an organization of their own and a session, and sends a message that proves the email address: all
   * of it or nothing.
   *
   * @throws {UsernameTaken} `username_taken`, also by an organization.
   * @throws {EmailTaken} `email_taken`
   * @throws {PasswordRefused} `invalid_request`
   * @throws {TooManyAttempts} `burst_limit_exceeded`
   */
  async signUp(input: SignUpInput, origin: Origin): Promise<SignedIn> {
    this.passwords.requireSound(input.password, input, 'password');
    try {
      await this.attempts.signUp(origin.ip);
      const passwordHash = await this.passwords.hash(input.password);
      return await this.database.transaction(() => this.create(input, passwordHash, origin));
    } catch (error) {
      this.metrics.signUp(error instanceof LimitExceeded ? 'limited' : 'refused');
      throw error;
    }
  }

  private async create({ username, email }: SignUpInput, passwordHash: string, origin: Origin): Promise<SignedIn> {
    const now = this.clock.now();
    const user = {
      id: this.ids.next(USER_ID),
      username,
      email,
      passwordHash,
      emailVerifiedAt: null,
      authEpoch: '0',
      createdAt: now,
      updatedAt: now,
    };
    await this.users.insert(user);
    const organization = await this.createOrganization(user);
    const by = { userId: user.id, ip: origin.ip };
    await this.audit.record(
      { orgId: organization.id, action: 'person.signed_up', target: { type: 'user', id: user.id } },
      by,
    );
    const { token } = await this.sessions.open(user.id, origin);
    await this.addresses.note(user.id, origin.ip);
    await this.outbox.enqueue(authMailJob, { kind: 'verify_email', subjectId: user.id });
    await this.database.afterCommit(() => {
      this.metrics.signUp('succeeded');
      return Promise.resolve();
    });
    return { ...(await this.accounts.of(user)), sessionToken: token };
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
