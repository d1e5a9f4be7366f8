import { Injectable } from '@nestjs/common';
import type { HeldAccount } from '../../people/managed-accounts.service.js';
import { type ProvisioningConnection, SsoProvisioningService } from '../../sso/sso-provisioning.service.js';
import { badValue, ScimRefusal } from '../domain/scim-refusal.js';
import type { ScimUser } from '../domain/scim-resources.js';
import { addressOf } from '../domain/user-attributes.js';
import { ScimUsersStore } from '../persistence/scim-users.store.js';
import { ConnectionLock } from '../tokens/connection-lock.js';
import type { ScimCall } from '../tokens/scim-call.js';
import { ScimHistory } from './scim-history.js';
import { ScimMemberships } from './scim-memberships.js';

const MOST_USERS = 20_000;

/** What writes of users do and check in the running transaction. */
@Injectable()
export class UserWrites {
  constructor(
    private readonly users: ScimUsersStore,
    private readonly sso: SsoProvisioningService,
    private readonly locks: ConnectionLock,
    private readonly memberships: ScimMemberships,
    private readonly history: ScimHistory,
  ) {}

  /** Locks the organization, and requires what a new user needs. @throws {ScimRefusal} */
  async lockRoom(connection: ProvisioningConnection, address: string): Promise<ProvisioningConnection> {
    const current = await this.locks.take(connection);
    await this.requireAddress(current, address);
    if ((await this.users.count(current.id)) >= MOST_USERS)
      throw new ScimRefusal(403, `A connection can have ${MOST_USERS} users.`);
    return current;
  }

  /** @throws {ScimRefusal} `invalidValue` */
  async requireAddress(connection: ProvisioningConnection, address: string): Promise<void> {
    if (await this.sso.speaksFor(connection, address)) return;
    throw badValue(`The organization has not verified the domain of ${address}.`);
  }

  /**
   * All that lets a person into an account ends when nobody has proven its address. Owners are left to the owners.
   *
   * @throws {ScimRefusal} 409
   */
  async requireClaimable(connection: ProvisioningConnection, { user }: HeldAccount): Promise<void> {
    if (user?.emailVerifiedAt !== null) return;
    if (await this.memberships.isOwner(connection, user.id))
      throw new ScimRefusal(409, 'This person is an owner of the organization, and has to verify the address first.');
  }

  /** An address is checked when it changes, and when its user comes back. @throws {ScimRefusal} `invalidValue` */
  async requireChange(connection: ProvisioningConnection, before: ScimUser, after: ScimUser): Promise<void> {
    const address = addressOf(after);
    if (address !== addressOf(before) || (after.active && !before.active))
      await this.requireAddress(connection, address);
  }

  async add(call: ScimCall, user: ScimUser): Promise<void> {
    const { connection, ip } = call;
    await this.users.insert(user);
    await this.history.record(connection, 'scim.user_created', factsOf(user), { ip });
    await this.follow(call, user);
  }

  /** Returns what is kept. Nothing is written when nothing changes. */
  async save(call: ScimCall, before: ScimUser, after: ScimUser): Promise<ScimUser> {
    if (isSame(before, after)) return before;
    const { connection, ip } = call;
    await this.users.save(after);
    await this.history.record(connection, actionOf(before, after), factsOf(after), { ip });
    if (before.active !== after.active) await this.follow(call, after);
    return after;
  }

  async delete({ connection, ip }: ScimCall, user: ScimUser): Promise<void> {
    if (user.active) await this.memberships.suspend(connection, user, { ip });
    await this.users.delete(user.id);
    await this.history.record(connection, 'scim.user_deleted', factsOf(user), { ip });
  }

  private follow({ connection, ip }: ScimCall, user: ScimUser): Promise<void> {
    return user.active
      ? this.memberships.admit(connection, user, { ip })
      : this.memberships.suspend(connection, user, { ip });
  }
}

function actionOf(
  before: ScimUser,
  after: ScimUser,
): 'scim.user_changed' | 'scim.user_deactivated' | 'scim.user_reactivated' {
  if (before.active === after.active) return 'scim.user_changed';
  return after.active ? 'scim.user_reactivated' : 'scim.user_deactivated';
}

/** The times differ in any case. */
const isSame = (before: ScimUser, after: ScimUser): boolean =>
  Object.entries(after).every(([name, value]) => value instanceof Date || before[name as keyof ScimUser] === value);

const factsOf = ({ id, userId }: ScimUser): { id: string; user_id: string } => ({ id, user_id: userId });
