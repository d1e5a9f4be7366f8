import { Injectable } from '@nestjs/common';
import type { Origin } from '../../auth/sessions.service.js';
import type { CheckedIdentity } from '../../identities/checked-identity.js';
import { ExternalSignInsService, type ShownCode } from '../../identities/external-sign-ins.service.js';
import { ExternalSignInInvalid } from '../../identities/identities.errors.js';
import { IdentitiesService } from '../../identities/identities.service.js';
import { type SsoAdmission, SsoAdmissionsService } from '../../sso/sso-admissions.service.js';
import { AccountSessions, type SignedIn } from '../accounts/account-sessions.js';
import { type SecondStep, SecondSteps } from '../accounts/second-steps.js';
import type { User } from '../persistence/user.entity.js';
import { UsersStore } from '../persistence/users.store.js';
import { type AddressedIdentity, SsoAccounts } from './sso-accounts.js';

/** Who comes in, and what was found out before the transaction. */
export interface SsoEntry {
  readonly shown: ShownCode;
  readonly identity: CheckedIdentity;
  readonly admission: SsoAdmission;
  readonly origin: Origin;
}

/** Opens sessions of people who came through a connection, in the running transaction. */
@Injectable()
export class SsoSessions {
  constructor(
    private readonly signIns: ExternalSignInsService,
    private readonly identities: IdentitiesService,
    private readonly admissions: SsoAdmissionsService,
    private readonly accounts: SsoAccounts,
    private readonly users: UsersStore,
    private readonly sessions: AccountSessions,
    private readonly steps: SecondSteps,
  ) {}

  /**
   * For a person who has come through the connection before.
   *
   * @throws {ExternalSignInInvalid} `invalid_flow`
   * @throws {SsoNotProvisioned} `sso_not_provisioned`
   */
  async openKnown(entry: SsoEntry, user: User): Promise<SignedIn | SecondStep> {
    const { shown, identity } = entry;
    await this.signIns.redeem(shown);
    // A new password may remove the identities, and ends every session: none may be opened after it.
    await this.users.sharePasswordLock(user.id);
    if (!(await this.identities.use(identity, user.id))) throw new ExternalSignInInvalid();
    return this.openOrAsk(entry, user);
  }

  /** For a person whose address has an account. @throws what {@link SsoAccounts.link} throws. */
  async openLinked(
    entry: SsoEntry & { readonly identity: AddressedIdentity },
    known: User,
    passwordHash: string,
  ): Promise<SignedIn | SecondStep> {
    await this.signIns.redeem(entry.shown);
    await this.users.lockPassword(known.id);
    // Changes of members lock the organization before the rows of people, which linking locks.
    await this.admissions.lock(entry.admission);
    const user = await this.accounts.link(entry.identity, known, { passwordHash, ip: entry.origin.ip });
    return this.openOrAsk(entry, user);
  }

  /** For a person without an account. @throws what {@link SsoAccounts.create} throws. */
  async openCreated(
    entry: SsoEntry & { readonly identity: AddressedIdentity },
    passwordHash: string,
  ): Promise<SignedIn> {
    const { shown, identity, admission, origin } = entry;
    await this.signIns.redeem(shown);
    const user = await this.accounts.create(identity, { passwordHash, ip: origin.ip });
    await this.admissions.admit(user.id, admission, { userId: user.id, ip: origin.ip });
    return this.sessions.openFirst(user, origin, { methods: ['sso'], connectionId: admission.connectionId });
  }

  private async openOrAsk({ admission, origin }: SsoEntry, { id }: User): Promise<SignedIn | SecondStep> {
    await this.admissions.admit(id, admission, { userId: id, ip: origin.ip });
    const { connectionId } = admission;
    const user = await this.users.find(id);
    if (user === undefined) throw new ExternalSignInInvalid();
    // The organization says who the person is there. What is the person's own stays behind the own factor.
    return user.secondFactor
      ? this.steps.begin({ userId: id, method: 'sso', connectionId }, true)
      : this.sessions.open(user, origin, { methods: ['sso'], connectionId });
  }
}
