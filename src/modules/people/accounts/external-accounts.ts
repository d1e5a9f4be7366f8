import { Injectable } from '@nestjs/common';
import type { Origin } from '../../auth/sessions.service.js';
import { ExternalSignInsService, type ShownCode } from '../../identities/external-sign-ins.service.js';
import { IdentityWithoutEmail } from '../../identities/identities.errors.js';
import { IdentitiesService } from '../../identities/identities.service.js';
import { PersonalOrgs } from '../../orgs/personal-orgs.js';
import { AccountCreation } from './account-creation.js';
import { AccountSessions, type SignedIn } from './account-sessions.js';

/** Creates accounts from what providers say. */
@Injectable()
export class ExternalAccounts {
  constructor(
    private readonly signIns: ExternalSignInsService,
    private readonly identities: IdentitiesService,
    private readonly organizations: PersonalOrgs,
    private readonly creation: AccountCreation,
    private readonly sessions: AccountSessions,
  ) {}

  /**
   * Creates an account with a name like that at the provider, and opens its first session, in the running transaction.
   *
   * @param passwordHash that of a password that nobody knows.
   * @throws {ExternalSignInInvalid} `invalid_flow`
   * @throws {IdentityWithoutEmail} `identity_without_email`
   * @throws {EmailTaken} `email_taken`
   * @throws {UsernameTaken} `username_taken`
   * @throws {IdentityConnected} `already_exists`
   */
  async create(shown: ShownCode, passwordHash: string, origin: Origin): Promise<SignedIn> {
    const identity = await this.signIns.redeem(shown);
    const { provider: method, email } = identity;
    if (email === undefined) throw new IdentityWithoutEmail(method);
    const username = await this.organizations.freeNameLike(identity.username);
    const account = { username, email: email.address, emailVerified: email.verified, passwordHash, method };
    const user = await this.creation.create(account, origin.ip);
    await this.identities.connect(identity, user.id, { userId: user.id, ip: origin.ip });
    return this.sessions.openFirst(user, origin, { methods: [method] });
  }
}
