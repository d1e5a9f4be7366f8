import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import { type HeldAccount, ManagedAccountsService } from '../../people/managed-accounts.service.js';
import type { ListRequest } from '../domain/list-request.js';
import { notFound } from '../domain/scim-refusal.js';
import type { Found, ScimUser } from '../domain/scim-resources.js';
import { addressOf, type UserAttributes } from '../domain/user-attributes.js';
import { ScimUsersStore } from '../persistence/scim-users.store.js';
import { SCIM_USER_ID } from '../scim.ids.js';
import { ConnectionLock } from '../tokens/connection-lock.js';
import type { ScimCall } from '../tokens/scim-call.js';
import { UserWrites } from './user-writes.js';

/** A new account may be refused because another call creates one with the same address or name. */
const ATTEMPTS = 3;

/** The users of one connection, as its provider sees them. */
@Injectable()
export class ScimUsersService {
  constructor(
    private readonly database: Database,
    private readonly users: ScimUsersStore,
    private readonly writes: UserWrites,
    private readonly locks: ConnectionLock,
    private readonly accounts: ManagedAccountsService,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /** @throws {ScimRefusal} `invalidFilter` */
  list({ connection }: ScimCall, request: ListRequest): Promise<Found<ScimUser>> {
    return this.users.list(connection.id, request);
  }

  /** @throws {ScimRefusal} 404 */
  async get({ connection }: ScimCall, id: string): Promise<ScimUser> {
    const user = await this.users.find(connection.id, id);
    if (user === undefined) throw notFound('User', id);
    return user;
  }

  /**
   * Creates a user for the account with its address, or for a new one. An active user becomes a member.
   *
   * @throws {ScimRefusal} `invalidValue`: the organization has not verified the domain of the address. `uniqueness`.
   * 409 for an owner who is said to be inactive, or whose address is not verified.
   */
  async create(call: ScimCall, attributes: UserAttributes): Promise<ScimUser> {
    const { connection } = call;
    const address = addressOf(attributes);
    await this.writes.requireAddress(connection, address);
    const passwordHash = await this.accounts.newPasswordHash();
    return this.retried(async () => {
      const held = await this.accounts.hold({ address, name: nameOf(address) });
      const current = await this.writes.lockRoom(connection, address);
      await this.writes.requireClaimable(current, held);
      const at = this.clock.now();
      const user: ScimUser = {
        ...attributes,
        id: this.ids.next(SCIM_USER_ID),
        connectionId: current.id,
        orgId: current.orgId,
        userId: await this.accounts.claim(held, passwordHash, { ip: call.ip }),
        createdAt: at,
        updatedAt: at,
      };
      await this.writes.add({ ...call, connection: current }, user);
      return user;
    });
  }

  /**
   * Changes a user. What the account itself has, such as its address, stays.
   *
   * @throws {ScimRefusal} 404, and as {@link create}.
   */
  async change(call: ScimCall, id: string, changed: (before: ScimUser) => UserAttributes): Promise<ScimUser> {
    const known = await this.get(call, id);
    const next = changed(known);
    // A deleted account is replaced by that of the address when the user comes back.
    const isOrphan = next.active && !known.active && !(await this.accounts.exists(known.userId));
    const passwordHash = isOrphan ? await this.accounts.newPasswordHash() : '';
    return this.retried(async () => {
      const address = isOrphan ? addressOf(next) : '';
      const held = isOrphan ? await this.accounts.hold({ address, name: nameOf(address) }) : undefined;
      const connection = await this.locks.take(call.connection);
      const before = await this.users.lock(connection.id, id);
      if (before === undefined) throw notFound('User', id);
      const after = { ...before, ...changed(before), updatedAt: this.clock.now() };
      await this.writes.requireChange(connection, before, after);
      const userId = await this.accountOf(held, after, { passwordHash, ip: call.ip });
      return this.writes.save({ ...call, connection }, before, { ...after, userId });
    });
  }

  /** @throws {ScimRefusal} 404, and 409 for an owner. */
  async delete(call: ScimCall, id: string): Promise<void> {
    await this.database.transaction(async () => {
      const connection = await this.locks.take(call.connection);
      const user = await this.users.lock(connection.id, id);
      if (user === undefined) throw notFound('User', id);
      await this.writes.delete({ ...call, connection }, user);
    });
  }

  /** Another call may have changed the user since: then the account of an active one is not looked for. */
  private async accountOf(
    held: HeldAccount | undefined,
    { userId, active, ...attributes }: ScimUser,
    { passwordHash, ip }: { readonly passwordHash: string; readonly ip: string },
  ): Promise<string> {
    if (held === undefined || !active || addressOf(attributes) !== held.address) return userId;
    return this.accounts.claim(held, passwordHash, { ip });
  }

  private async retried(work: () => Promise<ScimUser>): Promise<ScimUser> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.database.transaction(work);
      } catch (error) {
        if (attempt === ATTEMPTS || !this.accounts.isRace(error)) throw error;
      }
    }
  }
}

/** A new account gets a username like what stands before the `@`. */
const nameOf = (address: string): string => address.slice(0, address.lastIndexOf('@'));
