import { Injectable } from '@nestjs/common';
import type { LeakFacts } from '../../auth/auth-mail.job.js';
import { AuthSettings } from '../../auth/auth.settings.js';
import { Mailer } from '../../../platform/mail/mailer.js';
import { KeysService } from '../../auth/keys.service.js';
import { SessionsService } from '../../auth/sessions.service.js';
import type { User } from '../persistence/user.entity.js';
import { UsersStore } from '../persistence/users.store.js';
import type { MailText } from './auth-mail.templates.js';
import { leakMail } from './leak-notice.templates.js';
import { grantMadeMail, keyCreatedMail, newSignInMail, passwordChangedMail } from './security-notice.templates.js';

/**
 * Notifies users by mail of changes to their accounts, so that they notice a stolen password. No notice contains a
 * secret.
 */
@Injectable()
export class SecurityNoticesService {
  constructor(
    private readonly settings: AuthSettings,
    private readonly users: UsersStore,
    private readonly keys: KeysService,
    private readonly sessions: SessionsService,
    private readonly mailer: Mailer,
  ) {}

  async sendKeyCreated(keyId: string): Promise<void> {
    const key = await this.keys.findNoticeFacts(keyId);
    if (key === undefined) return;
    await this.send(key.userId, keyId, ({ username }) => keyCreatedMail(username, { id: keyId, ...key }));
  }

  async sendGrantMade(keyId: string): Promise<void> {
    const key = await this.keys.findNoticeFacts(keyId);
    if (key === undefined) return;
    await this.send(key.userId, keyId, ({ username }) => grantMadeMail(username, { id: keyId, ...key }));
  }

  async sendPasswordChanged(userId: string): Promise<void> {
    const activeKeys = await this.keys.countActive(userId);
    await this.send(userId, userId, ({ username, updatedAt }) =>
      passwordChangedMail(username, { at: updatedAt, activeKeys }),
    );
  }

  async sendNewSignIn(sessionId: string): Promise<void> {
    const session = await this.sessions.find(sessionId);
    if (session === undefined) return;
    await this.send(session.userId, sessionId, ({ username }) => newSignInMail(username, session));
  }

  async sendLeaked(userId: string, leak: LeakFacts | undefined): Promise<void> {
    if (leak === undefined) return;
    await this.send(userId, leak.id, ({ username }) => leakMail(username, leak));
  }

  /**
   * Where verification is required, an unverified address may belong to a person who never signed up. It gets only the
   * message that asks for the verification.
   */
  async send(userId: string, about: string, write: (user: User) => MailText): Promise<void> {
    const user = await this.users.find(userId);
    if (user === undefined || this.settings.needsVerification(user.emailVerifiedAt !== null)) return;
    await this.mailer.send({ to: user.email, about, ...write(user) });
  }
}
