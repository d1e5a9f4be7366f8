import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Origin } from '../../auth/sessions.service.js';
import { LimitExceeded } from '../../limits/limits.errors.js';
import { AccountAttempts } from '../attempts/account-attempts.js';
import { AccountCreation } from './account-creation.js';
import { AccountSessions, type SignedIn } from './account-sessions.js';
import { AuthMetrics } from './auth.metrics.js';
import { PasswordsService } from './passwords.service.js';

export interface SignUpInput {
  readonly username: string;
  readonly email: string;
  readonly password: string;
}

@Injectable()
export class SignUpService {
  constructor(
    private readonly database: Database,
    private readonly creation: AccountCreation,
    private readonly sessions: AccountSessions,
    private readonly passwords: PasswordsService,
    private readonly attempts: AccountAttempts,
    private readonly metrics: AuthMetrics,
  ) {}

  /**
   * Creates an account with its personal organization and opens a session. All of it happens or nothing.
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
    const user = await this.creation.create(
      { username, email, passwordHash, method: 'password', emailVerified: false },
      origin.ip,
    );
    const signedIn = await this.sessions.openFirst(user, origin, { methods: ['password'] });
    await this.database.afterCommit(() => {
      this.metrics.signUp('succeeded');
      return Promise.resolve();
    });
    return signedIn;
  }
}
