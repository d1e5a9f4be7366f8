import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { Mailer } from '../../../platform/mail/mailer.js';
import { Clock } from '../../../platform/time/clock.js';
import { ApiKeyStore } from '../persistence/api-key.store.js';
import { SessionsStore } from '../persistence/sessions.store.js';
import type { User } from '../persistence/user.entity.js';
import { UsersStore } from '../persistence/users.store.js';
import type { MailText } from './auth-mail.templates.js';
import { keyCreatedMail, newSignInMail, passwordChangedMail } from './security-notice.templates.js';

/**
 * Tells people by mail what was done with their account, so that somebody whose password was stolen finds out. No
 * notice contains a secret.
 */
@Injectable()
export class SecurityNoticesService {
  constructor(
    private readonly config: Config,
    private readonly users: UsersStore,
    private readonly keys: ApiKeyStore,
    private readonly sessions: SessionsStore,
    private readonly mailer: Mailer,
    private readonly clock: Clock,
  ) {}

  async sendKeyCreated(keyId: string): Promise<void> {
    const key = await this.keys.findById(keyId);
    if (key === null) return;
    const last4 = (await this.keys.last4Of([keyId])).get(keyId) ?? '';
    await this.send(key.userId, keyId, ({ username }) =>
      keyCreatedMail(username, { id: keyId, name: key.name, last4, createdAt: key.createdAt }),
    );
  }

  async sendPasswordChanged(userId: string): Promise<void> {
    const activeKeys = await this.keys.countActive(userId, this.clock.now());
    await this.send(userId, userId, ({ username, updatedAt }) =>
      passwordChangedMail(username, { at: updatedAt, activeKeys }),
    );
  }

  async sendNewSignIn(sessionId: string): Promise<void> {
    const session = await this.sessions.find(sessionId);
    if (session === undefined) return;
    await this.send(session.userId, sessionId, ({ username }) => newSignInMail(username, session));
  }

  /**
   * Where addresses have to be verified, an unverified one may belong to somebody who never signed up: the only message
   * it gets is the one that asks for the verification.
   */
  private async send(userId: string, about: string, write: (user: User) => MailText): Promise<void> {
    const user = await this.users.find(userId);
    if (user === undefined || (user.emailVerifiedAt === null && this.config.emailVerification === 'required')) return;
    await this.mailer.send({ to: user.email, about, ...write(user) });
  }
}
