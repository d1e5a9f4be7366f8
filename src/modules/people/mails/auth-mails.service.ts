import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { Database } from '../../../platform/database/database.js';
import { Mailer } from '../../../platform/mail/mailer.js';
import { EmailTokensService } from '../accounts/email-tokens.service.js';
import { InvitationMessages } from '../../orgs/invitation-messages.js';
import { UsersStore } from '../persistence/users.store.js';
import { invitationMail, type MailText, passwordResetMail, verificationMail } from './auth-mail.templates.js';

/**
 * Writes and sends the messages that carry tokens. A token is created together with its message, so that no queue holds
 * it. A message that is sent twice has a different token each time.
 */
@Injectable()
export class AuthMailsService {
  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly users: UsersStore,
    private readonly invitations: InvitationMessages,
    private readonly tokens: EmailTokensService,
    private readonly mailer: Mailer,
  ) {}

  /** Sends nothing when the address has been verified meanwhile. */
  async sendVerification(userId: string): Promise<void> {
    const user = await this.users.find(userId);
    if (user === undefined || user.emailVerifiedAt !== null) return;
    const token = await this.database.transaction(() => this.tokens.create(user, 'verify_email'));
    await this.send(
      user.email,
      userId,
      verificationMail(user.username, { token, link: this.linkOf('verify-email', token) }),
    );
  }

  /** Sends nothing for an unknown id, which stands for an address without an account. */
  async sendPasswordReset(userId: string): Promise<void> {
    const user = await this.users.find(userId);
    if (user === undefined) return;
    const token = await this.database.transaction(() => this.tokens.create(user, 'reset_password'));
    await this.send(
      user.email,
      userId,
      passwordResetMail(user.username, { token, link: this.linkOf('reset-password', token) }),
    );
  }

  /** Sends nothing when the invitation is no longer open. */
  async sendInvitation(invitationId: string): Promise<void> {
    const invitation = await this.invitations.issue(invitationId);
    const inviter = invitation && (await this.users.find(invitation.invitedBy));
    if (invitation === undefined || inviter === undefined) return;

    const { email, token, organizationName: organization, role } = invitation;
    const facts = { organization, inviter: inviter.username, role };
    await this.send(
      email,
      invitationId,
      invitationMail(facts, { token, link: this.linkOf('accept-invitation', token) }),
    );
  }

  private async send(to: string, about: string, text: MailText): Promise<void> {
    await this.mailer.send({ to, about, ...text });
  }

  /** The token stands behind the #, which browsers do not send, so that it gets into no log. */
  private linkOf(page: string, token: string): string {
    return `${this.config.dashboardUrl}/${page}#token=${token}`;
  }
}
