import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { SecondFactorRequired } from '../../auth/auth.errors.js';
import { AccountExists, IdentityConnected, IdentityWithoutEmail } from '../../identities/identities.errors.js';
import { IdentitiesService } from '../../identities/identities.service.js';
import { LimitExceeded } from '../../limits/limits.errors.js';
import { SsoAddressForeign, SsoNotProvisioned } from '../../sso/sso.errors.js';
import { SsoAdmissionsService } from '../../sso/sso-admissions.service.js';
import type { SignedIn } from '../accounts/account-sessions.js';
import { AuthMetrics } from '../accounts/auth.metrics.js';
import { PasswordsService } from '../accounts/passwords.service.js';
import type { SecondStep } from '../accounts/second-steps.js';
import { EmailTaken } from '../people.errors.js';
import type { User } from '../persistence/user.entity.js';
import { UsersStore } from '../persistence/users.store.js';
import type { AddressedIdentity } from './sso-accounts.js';
import { type SsoEntry, SsoSessions } from './sso-sessions.js';

/** Signs people in who came through the SSO connection of an organization. */
@Injectable()
export class SsoSignInCompletionService {
  constructor(
    private readonly database: Database,
    private readonly identities: IdentitiesService,
    private readonly admissions: SsoAdmissionsService,
    private readonly users: UsersStore,
    private readonly passwords: PasswordsService,
    private readonly sessions: SsoSessions,
    private readonly metrics: AuthMetrics,
  ) {}

  /**
   * Opens a session for the person that the identity belongs to. An unknown identity gets the account with its address,
   * or a new one, if the organization has verified the domain of the address: a connection speaks for nobody else.
   *
   * @throws {ExternalSignInInvalid} `invalid_flow`
   * @throws {SsoConnectionNotFound} `sso_connection_not_found`
   * @throws {SsoAddressForeign} `domain_not_verified`
   * @throws {SsoNotProvisioned} `sso_not_provisioned`
   * @throws {IdentityWithoutEmail} `identity_without_email`
   * @throws {AccountExists} `account_exists`: the account has another identity of the connection.
   * @throws {SecondFactorRequired} `second_factor_required`
   */
  async complete(entry: Omit<SsoEntry, 'admission'>): Promise<SignedIn> {
    try {
      const signedIn = await this.open(entry);
      await this.database.afterCommit(() => {
        this.metrics.signIn('succeeded', 'sso');
        return Promise.resolve();
      });
      return signedIn;
    } catch (error) {
      this.metrics.signIn(resultOf(error), 'sso');
      throw error instanceof IdentityConnected || error instanceof EmailTaken ? new AccountExists('sso') : error;
    }
  }

  private async open(begun: Omit<SsoEntry, 'admission'>): Promise<SignedIn> {
    const { identity } = begun;
    const [admission, owner] = await this.database.apart(async () => [
      await this.admissions.of(identity),
      await this.ownerOf(begun),
    ]);
    const entry = { ...begun, admission };
    if (owner !== undefined) return this.openApart(() => this.sessions.openKnown(entry, owner));
    const { email } = identity;
    if (email === undefined) throw new IdentityWithoutEmail('sso');
    if (!admission.speaksForAddress) throw new SsoAddressForeign();
    const addressed = { ...entry, identity: { ...identity, email } satisfies AddressedIdentity };
    const known = await this.database.apart(() => this.users.findByEmail(email.address));
    if (known === undefined && !admission.admitsUnknown) throw new SsoNotProvisioned();
    // Nobody knows the password, and checking another one takes as long as ever.
    const passwordHash = await this.passwords.hashOfNothing();
    return this.openApart(() =>
      known === undefined
        ? this.sessions.openCreated(addressed, passwordHash)
        : this.sessions.openLinked(addressed, known, passwordHash),
    );
  }

  /** A call that asks for a factor is refused, which rolls its transaction back, and the token must remain. */
  private async openApart(work: () => Promise<SignedIn | SecondStep>): Promise<SignedIn> {
    const result = await this.database.apart(() => this.database.transaction(work));
    if ('token' in result) throw new SecondFactorRequired(result);
    return result;
  }

  private async ownerOf({ identity }: Pick<SsoEntry, 'identity'>): Promise<User | undefined> {
    const userId = await this.identities.findUserId(identity);
    return userId === undefined ? undefined : this.users.find(userId);
  }
}

function resultOf(error: unknown): 'limited' | 'challenged' | 'refused' {
  if (error instanceof LimitExceeded) return 'limited';
  return error instanceof SecondFactorRequired ? 'challenged' : 'refused';
}
