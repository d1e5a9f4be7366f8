import { Injectable } from '@nestjs/common';
import type { AuditActor } from '../../audit/audit-log.service.js';
import { PersonDirectory } from '../../auth/person-directory.js';
import type { CheckedIdentity } from '../../identities/checked-identity.js';
import { ExternalSignInInvalid } from '../../identities/identities.errors.js';
import { IdentitiesService } from '../../identities/identities.service.js';
import { PersonalOrgs } from '../../orgs/personal-orgs.js';
import { AccountCreation } from '../accounts/account-creation.js';
import type { User } from '../persistence/user.entity.js';
import { UsersStore } from '../persistence/users.store.js';
import { AccountReclaim } from './account-reclaim.js';

/** An identity with an address that the connection speaks for. */
export type AddressedIdentity = CheckedIdentity & { readonly email: NonNullable<CheckedIdentity['email']> };

/** Finds or creates the account of a person whose organization says whose the address is, and connects the identity. */
@Injectable()
export class SsoAccounts {
  constructor(
    private readonly users: UsersStore,
    private readonly people: PersonDirectory,
    private readonly identities: IdentitiesService,
    private readonly organizations: PersonalOrgs,
    private readonly creation: AccountCreation,
    private readonly accounts: AccountReclaim,
  ) {}

  /**
   * Connects the identity to the account with its address, in the running transaction, which has locked the password.
   *
   * @param passwordHash that of a password that nobody knows.
   * @throws {ExternalSignInInvalid} `invalid_flow`: the account has another address by now.
   * @throws {IdentityConnected} `already_exists`: another identity of the connection has the account.
   */
  async link(identity: AddressedIdentity, known: User, { passwordHash, ip }: Proof): Promise<User> {
    const by: AuditActor = { userId: known.id, ip };
    const current = await this.users.findByEmail(identity.email.address);
    if (current?.id !== known.id) throw new ExternalSignInInvalid();
    if (current.emailVerifiedAt === null) await this.accounts.reclaim(known.id, passwordHash, by);
    await this.identities.connect(identity, known.id, by);
    await this.people.markVerified(known.id, identity.email.address);
    const linked = await this.users.find(known.id);
    if (linked === undefined) throw new ExternalSignInInvalid();
    return linked;
  }

  /**
   * Creates an account in the running transaction.
   *
   * @throws {EmailTaken} `email_taken`, {UsernameTaken} `username_taken`: another call took it at the same moment.
   */
  async create(identity: AddressedIdentity, { passwordHash, ip }: Proof): Promise<User> {
    const username = await this.organizations.freeNameLike(identity.username);
    const { address: email } = identity.email;
    const user = await this.creation.create({ username, email, emailVerified: true, passwordHash, method: 'sso' }, ip);
    await this.identities.connect(identity, user.id, { userId: user.id, ip });
    return user;
  }
}

interface Proof {
  readonly passwordHash: string;
  readonly ip: string;
}
