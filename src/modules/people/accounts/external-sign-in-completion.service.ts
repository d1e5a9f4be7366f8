import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { SecondFactorRequired } from '../../auth/auth.errors.js';
import type { Origin } from '../../auth/sessions.service.js';
import type { CheckedIdentity } from '../../identities/checked-identity.js';
import type { ShownCode } from '../../identities/external-sign-ins.service.js';
import { IdentitiesService } from '../../identities/identities.service.js';
import { LimitExceeded } from '../../limits/limits.errors.js';
import type { User } from '../persistence/user.entity.js';
import { UsersStore } from '../persistence/users.store.js';
import type { SignedIn } from './account-sessions.js';
import { AuthMetrics } from './auth.metrics.js';
import { ExternalSessions } from './external-sessions.js';
import { ExternalSignUp } from './external-sign-up.js';

/** Signs people in whom a provider knows. */
@Injectable()
export class ExternalSignInCompletionService {
  constructor(
    private readonly database: Database,
    private readonly identities: IdentitiesService,
    private readonly users: UsersStore,
    private readonly sessions: ExternalSessions,
    private readonly signUps: ExternalSignUp,
    private readonly metrics: AuthMetrics,
  ) {}

  /**
   * Completes a sign-in through a provider: opens a session for the person that the identity belongs to, or creates an
   * account. An email address finds nobody, because a provider may be wrong about it.
   *
   * @throws {ExternalSignInInvalid} `invalid_flow`
   * @throws {SecondFactorRequired} `second_factor_required`
   * @throws {AccountExists} `account_exists`
   * @throws {IdentityWithoutEmail} `identity_without_email`
   * @throws {FeatureDisabled} `feature_disabled`: the operator lets nobody sign up.
   * @throws {UsernameTaken} `username_taken`: another sign-up took the derived name at the same moment.
   * @throws {TooManyAttempts} `burst_limit_exceeded`
   */
  async complete(shown: ShownCode, identity: CheckedIdentity, origin: Origin): Promise<SignedIn> {
    const { provider } = identity;
    try {
      const user = await this.database.apart(() => this.ownerOf(identity));
      const signedIn =
        user === undefined
          ? await this.signUps.signUp(shown, identity, origin)
          : await this.sessions.open(shown, user, origin);
      await this.database.afterCommit(() => {
        this.metrics.signIn('succeeded', provider);
        return Promise.resolve();
      });
      return signedIn;
    } catch (error) {
      this.metrics.signIn(resultOf(error), provider);
      throw error;
    }
  }

  private async ownerOf(identity: CheckedIdentity): Promise<User | undefined> {
    const userId = await this.identities.findUserId(identity);
    return userId === undefined ? undefined : this.users.find(userId);
  }
}

function resultOf(error: unknown): 'limited' | 'challenged' | 'refused' {
  if (error instanceof LimitExceeded) return 'limited';
  return error instanceof SecondFactorRequired ? 'challenged' : 'refused';
}
