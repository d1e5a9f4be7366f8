import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { Database } from '../../../platform/database/database.js';
import { Mailer } from '../../../platform/mail/mailer.js';
import { Clock } from '../../../platform/time/clock.js';
import { EmailTokensService } from '../accounts/email-tokens.service.js';
import type { EmailChange } from '../emails/email-change.js';
import { EmailChangesStore } from '../persistence/email-changes.store.js';
import type { EmailTokenPurpose } from '../persistence/email-token.entity.js';
import type { User } from '../persistence/user.entity.js';
import { UsersStore } from '../persistence/users.store.js';
import type { MailText, TokenMail } from './auth-mail.templates.js';
import { addressInUseMail, approveEmailMail, emailChangedMail, proveEmailMail } from './email-change.templates.js';

/** Writes and sends the messages of changes of email addresses, to both addresses. */
@Injectable()
export class EmailChangeMailsService {
  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly users: UsersStore,
    private readonly changes: EmailChangesStore,
    private readonly tokens: EmailTokensService,
    private readonly mailer: Mailer,
    private readonly clock: Clock,
  ) {}

  /** An address that has an account gets a notice and no token. */
  async sendProof(changeId: string): Promise<void> {
    const change = await this.changes.find(changeId);
    if (change === undefined) return;
    const { newEmail } = change.fields;
    const owner = await this.users.findByEmail(newEmail);
    if (owner !== undefined) {
      await this.send(newEmail, changeId, addressInUseMail(owner.username));
      return;
    }
    await this.sendToken(change, 'prove_email', newEmail, proveEmailMail);
  }

  /** Sends nothing to an address that is not asked. */
  async sendApproval(changeId: string): Promise<void> {
    const change = await this.changes.find(changeId);
    if (change?.asksOldAddress !== true) return;
    await this.sendToken(change, 'approve_email', change.fields.oldEmail, (username, mail) =>
      approveEmailMail(username, change.fields, mail),
    );
  }

  async sendChanged(changeId: string): Promise<void> {
    const change = await this.changes.find(changeId);
    const user = change && (await this.users.find(change.fields.userId));
    if (change === undefined || user === undefined) return;
    const { oldEmail, newEmail } = change.fields;
    const text = emailChangedMail(user.username, change.fields, this.clock.now());
    if (change.asksOldAddress) await this.send(oldEmail, changeId, text);
    await this.send(newEmail, changeId, text);
  }

  /** Sends nothing for a change that has ended: the address might then belong to nobody who asked for anything. */
  private async sendToken(
    change: EmailChange,
    purpose: EmailTokenPurpose,
    to: string,
    write: (username: string, mail: TokenMail) => MailText,
  ): Promise<void> {
    const created = await this.database.transaction(() => this.createToken(change, purpose, to));
    if (created === undefined) return;
    const { user, token } = created;
    const link = `${this.config.dashboardUrl}/confirm-email-change#token=${token}`;
    await this.send(to, change.fields.id, write(user.username, { token, link }));
  }

  /** The lock keeps the token from outliving the change, whose end uses up all tokens that there are. */
  private async createToken(
    { fields: { id, userId } }: EmailChange,
    purpose: EmailTokenPurpose,
    email: string,
  ): Promise<{ user: User; token: string } | undefined> {
    await this.users.lockPassword(userId);
    const pending = await this.changes.findPending(userId, this.clock.now());
    const user = await this.users.find(userId);
    if (pending?.fields.id !== id || user === undefined) return undefined;
    return { user, token: await this.tokens.create({ id: userId, email }, purpose) };
  }

  private async send(to: string, about: string, text: MailText): Promise<void> {
    await this.mailer.send({ to, about, ...text });
  }
}
