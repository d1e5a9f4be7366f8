import { Injectable } from '@nestjs/common';
import type { AuditActor } from '../audit/audit-log.service.js';
import { PersonDirectory } from '../auth/person-directory.js';
import { PersonalOrgs } from '../orgs/personal-orgs.js';
import { AccountCreation } from './accounts/account-creation.js';
import { PasswordsService } from './accounts/passwords.service.js';
import { EmailTaken, UsernameTaken } from './people.errors.js';
import type { User } from './persistence/user.entity.js';
import { UsersStore } from './persistence/users.store.js';
import { AccountReclaim } from './sso/account-reclaim.js';

/** What decides whether the account with an address can be used, or which one is made. */
export interface ManagedAddress {
  readonly address: string;
  /** A new account gets a username like this. */
  readonly name: string;
}

/** The account of an address, which does not change until the running transaction ends. */
export interface HeldAccount extends ManagedAddress {
  readonly user: Pick<User, 'id' | 'emailVerifiedAt'> | undefined;
}

/** Accounts of people whose address is in a domain that their organization has verified. The caller checks that. */
@Injectable()
export class ManagedAccountsService {
  constructor(
    private readonly users: UsersStore,
    private readonly people: PersonDirectory,
    private readonly passwords: PasswordsService,
    private readonly organizations: PersonalOrgs,
    private readonly creation: AccountCreation,
    private readonly accounts: AccountReclaim,
  ) {}

  /** Returns what {@link claim} needs. It takes a while, so that no transaction may be open. */
  newPasswordHash(): Promise<string> {
    return this.passwords.hashOfNothing();
  }

  /** True while the account is not deleted. */
  async exists(userId: string): Promise<boolean> {
    const user = await this.users.find(userId);
    return user !== undefined && user.deletedAt === null;
  }

  /** Finds the account with the address, before the running transaction locks an organization. */
  async hold(wanted: ManagedAddress): Promise<HeldAccount> {
    const known = await this.users.findByEmail(wanted.address);
    if (known === undefined) return { ...wanted, user: undefined };
    await this.users.lockPassword(known.id);
    const current = await this.users.findByEmail(wanted.address);
    return { ...wanted, user: current?.id === known.id ? current : undefined };
  }

  /**
   * Returns the id of the account, or that of a new one without a password, in the running transaction. If nobody has
   * proven the address of the account, all that lets a person into it ends, and the address counts as proven.
   *
   * @param passwordHash of {@link newPasswordHash}.
   * @throws {EmailTaken} `email_taken`, {UsernameTaken} `username_taken`: another call took it at the same moment.
   */
  async claim({ address, name, user }: HeldAccount, passwordHash: string, by: AuditActor): Promise<string> {
    if (user === undefined) return this.create({ address, name }, passwordHash, by);
    if (user.emailVerifiedAt !== null) return user.id;
    await this.accounts.reclaim(user.id, passwordHash, by);
    await this.people.markVerified(user.id, address);
    return user.id;
  }

  /** True for what {@link claim} throws when the whole transaction should be tried again. */
  isRace(error: unknown): boolean {
    return error instanceof EmailTaken || error instanceof UsernameTaken;
  }

  private async create({ address, name }: ManagedAddress, passwordHash: string, { ip }: AuditActor): Promise<string> {
    const username = await this.organizations.freeNameLike(name);
    const account = { username, email: address, emailVerified: true, passwordHash, method: 'sso' } as const;
    return (await this.creation.create(account, ip ?? '')).id;
  }
}
