import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { Clock } from '../../../platform/time/clock.js';
import { type AuditActor, AuditLogService } from '../../audit/audit-log.service.js';
import type { Call } from '../../auth/caller.js';
import { authMailJob } from '../../auth/auth-mail.job.js';
import { KeysService } from '../../auth/keys.service.js';
import { PersonalOrgs } from '../../orgs/personal-orgs.js';
import type { User } from '../persistence/user.entity.js';
import { UsersStore } from '../persistence/users.store.js';
import { SessionsService } from '../../auth/sessions.service.js';
import { AccountAttempts } from '../attempts/account-attempts.js';
import { EmailTokensService } from './email-tokens.service.js';
import { KnownAddresses } from './known-addresses.js';
import { PasswordsService } from './passwords.service.js';
import { EmailTokenInvalid } from '../../auth/auth.errors.js';
import { CredentialsInvalid } from '../people.errors.js';
import { USER_ID } from '../people.ids.js';

export interface PasswordChange {
  readonly currentPassword: string;
  readonly newPassword: string;
}

export interface PasswordReset {
  /** From the message. */
  readonly token: string;
  readonly password: string;
  readonly revokeKeys: boolean;
}

/** New passwords for people who have an account. */
@Injectable()
export class PasswordResetService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersStore,
    private readonly organizations: PersonalOrgs,
    private readonly sessions: SessionsService,
    private readonly keys: KeysService,
    private readonly addresses: KnownAddresses,
    private readonly tokens: EmailTokensService,
    private readonly passwords: PasswordsService,
    private readonly attempts: AccountAttempts,
    private readonly audit: AuditLogService,
    private readonly outbox: Outbox,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends a message when somebody has this address. Neither the answer nor its time tells: without an account the same
   * job is put, for nobody.
   *
   * @throws {TooManyAttempts} `burst_limit_exceeded`
   */
  async forgot(email: string, ip: string): Promise<void> {
    await this.attempts.forgotPassword(ip, email);
    const user = await this.users.findByEmail(email);
    const subjectId = user?.id ?? this.ids.next(USER_ID);
    await this.database.transaction(() => this.outbox.enqueue(authMailJob, { kind: 'reset_password', subjectId }));
  }

  /**
   * Sets a new password by a token from the message, and ends every session. Keys are revoked where the caller asks for
   * it, and always where the address was not verified before: somebody else may have signed up with it and minted them.
   *
   * @returns how many keys were revoked.
   * @throws {EmailTokenInvalid} `invalid_email_token`
   * @throws {PasswordRefused} `invalid_request`; the token is still good then.
   */
  async reset({ token, password, revokeKeys }: PasswordReset, ip: string): Promise<number> {
    const user = await this.database.apart(async () => {
      const { userId } = await this.database.transaction(() => this.tokens.get(token, 'reset_password'));
      return this.users.find(userId);
    });
    if (user === undefined) throw new EmailTokenInvalid();
    this.passwords.requireSound(password, user, 'password');
    const passwordHash = await this.passwords.hash(password);
    return this.database.transaction(async () => {
      await this.users.lockPassword(user.id);
      const { email } = await this.tokens.use(token, 'reset_password');
      const by = { userId: user.id, ip };
      const wasVerified = (await this.users.find(user.id))?.emailVerifiedAt != null;
      const revoked = revokeKeys || !wasVerified ? await this.keys.revokeAllOf(user.id, by, 'password_reset') : 0;
      await this.replace(user, passwordHash, by);
      await this.addresses.forgetAll(user.id);
      // Whoever has the token reads the mail of that address.
      await this.users.markVerified(user.id, email, this.clock.now());
      return revoked;
    });
  }

  /**
   * Sets a new password and ends every session but that of the call.
   *
   * @throws {CredentialsInvalid} `invalid_credentials`
   * @throws {PasswordRefused} `invalid_request`
   * @throws {SignInLimitExceeded} `sign_in_limit_exceeded`
   */
  async change({ currentPassword, newPassword }: PasswordChange, call: Call): Promise<void> {
    const {
      user: { id },
    } = call.principal;
    await this.attempts.password(id);
    const user = await this.database.apart(() => this.users.find(id));
    if (!(await this.passwords.matches(currentPassword, user?.passwordHash)) || user === undefined)
      throw new CredentialsInvalid();
    this.passwords.requireSound(newPassword, user, 'new_password');
    const passwordHash = await this.passwords.hash(newPassword);
    await this.database.transaction(async () => {
      await this.users.lockPassword(id);
      // Somebody may have set another one since, by a message for one, to keep out whoever knows this one.
      if ((await this.users.find(id))?.passwordHash !== user.passwordHash) throw new CredentialsInvalid();
      await this.replace(user, passwordHash, call);
    });
  }

  /** Sessions first: all that changes sessions takes the rows of sessions before that of the person. */
  private async replace({ id }: User, passwordHash: string, by: Call | AuditActor): Promise<void> {
    await this.sessions.endAll(id, by);
    await this.users.setPassword(id, passwordHash, this.clock.now());
    await this.tokens.useUp(id, 'reset_password');
    const orgId = await this.organizations.getId(id);
    await this.audit.record({ orgId, action: 'password.changed', target: { type: 'user', id } }, by);
    await this.outbox.enqueue(authMailJob, { kind: 'password_changed', subjectId: id });
  }
}
