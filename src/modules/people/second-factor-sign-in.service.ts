import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { SignInFlowInvalid } from '../auth/auth.errors.js';
import type { Origin } from '../auth/sessions.service.js';
import type { ShownMethods } from '../auth/shown-methods.js';

import { SignInFlowsService } from '../auth/sign-in-flows.service.js';
import { FactorRefused } from '../factors/factors.errors.js';
import { FactorRecoveryService } from '../factors/factor-recovery.service.js';
import { type PasskeyAnswer, SecondFactorsService, type ShownFactor } from '../factors/second-factors.service.js';
import { LimitExceeded } from '../limits/limits.errors.js';
import { AccountSessions, type SignedIn } from './accounts/account-sessions.js';
import { AuthMetrics, type CountedMethod } from './accounts/auth.metrics.js';
import { UsersStore } from './persistence/users.store.js';

/** Sign-ins that a second factor completes, and those with a passkey alone. */
@Injectable()
export class SecondFactorSignInService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersStore,
    private readonly flows: SignInFlowsService,
    private readonly factors: SecondFactorsService,
    private readonly recoveries: FactorRecoveryService,
    private readonly sessions: AccountSessions,
    private readonly metrics: AuthMetrics,
  ) {}

  /**
   * Completes a sign-in whose first step was right. The factor, the sign-in and the session belong together: of several
   * calls at once one opens a session.
   *
   * @throws {SignInFlowInvalid} `invalid_flow`
   * @throws {FactorRefused} `invalid_factor`; the sign-in stays open.
   * @throws {TooManyAttempts} `burst_limit_exceeded`
   */
  async complete(token: string, shown: ShownFactor, origin: Origin): Promise<SignedIn> {
    const { userId, method: first, connectionId } = await this.database.apart(() => this.flows.firstStepOf(token));
    const prove = (): Promise<SignedIn> =>
      this.factors.prove(
        userId,
        shown,
        async ({ method }) => {
          await this.flows.finish(token);
          return this.open(userId, origin, { methods: [first, method], connectionId });
        },
        // A new password ends the sign-ins that wait. No session may be opened with the old one afterwards.
        () => this.users.sharePasswordLock(userId),
      );
    try {
      return await this.counted(first, prove);
    } catch (error) {
      if (error instanceof FactorRefused) this.sessions.noteRefusal(userId, 'second_factor', origin);
      throw error;
    }
  }

  /**
   * Signs in with a passkey, which is two factors in one: the device, and what unlocks it.
   *
   * @throws {FactorRefused} `invalid_factor`
   * @throws {TooManyAttempts} `burst_limit_exceeded`
   */
  signInWithPasskey(passkey: PasskeyAnswer, origin: Origin): Promise<SignedIn> {
    return this.counted('passkey', () =>
      this.factors.provePasskey(passkey, origin.ip, ({ userId, method }) =>
        this.open(userId, origin, { methods: [method] }),
      ),
    );
  }

  /**
   * Begins the recovery of an account whose first step was right and whose factors are lost.
   *
   * @returns when the factors are removed.
   * @throws {SignInFlowInvalid} `invalid_flow`
   */
  async recover(token: string, ip: string): Promise<Date> {
    return this.database.transaction(async () => {
      const { userId } = await this.flows.firstStepOf(token);
      await this.users.sharePasswordLock(userId);
      await this.flows.finish(token);
      return this.recoveries.request(userId, ip);
    });
  }

  private async open(userId: string, origin: Origin, shown: ShownMethods): Promise<SignedIn> {
    const user = await this.users.find(userId);
    if (user === undefined) throw new SignInFlowInvalid();
    return this.sessions.open(user, origin, shown);
  }

  private async counted(method: CountedMethod, attempt: () => Promise<SignedIn>): Promise<SignedIn> {
    try {
      const signedIn = await attempt();
      this.metrics.signIn('succeeded', method);
      return signedIn;
    } catch (error) {
      this.metrics.signIn(error instanceof LimitExceeded ? 'limited' : 'refused', method);
      throw error;
    }
  }
}
