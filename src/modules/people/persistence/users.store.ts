import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { violatedConstraintOf } from '../../../platform/database/violated-constraint.js';
import { EmailTaken, UsernameTaken } from '../people.errors.js';
import { User } from './user.entity.js';

/** A user as the table knows one. */
interface StoredPerson {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly hasSecondFactor: boolean;
  readonly hasPassword: boolean;
  /** The address that a change in progress leads to. */
  readonly pendingEmail: string | null;
  readonly authEpoch: number;
  /** True for the first account of the installation. Ids are in the order of their creation. */
  readonly hasFirstAccount: boolean;
}

const EMAIL_CONSTRAINT = 'users_email_unique';

@Injectable()
export class UsersStore {
  constructor(private readonly database: Database) {}

  /**
   * @throws {UsernameTaken} `username_taken`
   * @throws {EmailTaken} `email_taken`
   */
  async insert(user: Omit<User, 'authEpoch'>): Promise<void> {
    try {
      await this.database.manager.insert(User, user);
    } catch (error) {
      const constraint = violatedConstraintOf(error);
      if (constraint === 'users_username_unique') throw new UsernameTaken();
      if (constraint === EMAIL_CONSTRAINT) throw new EmailTaken();
      throw error;
    }
  }

  async find(id: string): Promise<User | undefined> {
    return (await this.database.manager.findOneBy(User, { id })) ?? undefined;
  }

  async findPerson(id: string, now: Date): Promise<StoredPerson | undefined> {
    const [row] = await this.database.manager.query<(StoredPerson & { authEpoch: string })[]>(
      `
      SELECT id, username, email, email_verified_at IS NOT NULL AS "emailVerified", auth_epoch AS "authEpoch",
        second_factor AS "hasSecondFactor", has_password AS "hasPassword",
        (SELECT new_email FROM email_changes WHERE user_id = users.id AND ended_at IS NULL AND expires_at > $2)
          AS "pendingEmail",
        id = (SELECT min(id) FROM users) AS "hasFirstAccount"
      FROM users WHERE id = $1`,
      [id, now],
    );
    return row && { ...row, authEpoch: Number(row.authEpoch) };
  }

  async usernamesOf(ids: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.database.manager.query<{ id: string; username: string }[]>(
      'SELECT id, username FROM users WHERE id = ANY($1)',
      [ids],
    );
    return new Map(rows.map(({ id, username }) => [id, username]));
  }

  async setSecondFactor(id: string, hasSecondFactor: boolean): Promise<void> {
    await this.database.manager.update(User, { id }, { secondFactor: hasSecondFactor });
  }

  /** Raises the epoch of the person and returns it. Concurrent changes of the row are raised one by one. */
  async raiseEpoch(id: string): Promise<string | undefined> {
    const [rows] = await this.database.manager.query<[{ auth_epoch: string }[], number]>(
      'UPDATE users SET auth_epoch = auth_epoch + 1 WHERE id = $1 RETURNING auth_epoch',
      [id],
    );
    return rows[0]?.auth_epoch;
  }

  findByEmail(email: string): Promise<User | undefined> {
    return this.findWhere('lower(person.email) = lower(:value)', email);
  }

  findByUsername(username: string): Promise<User | undefined> {
    return this.findWhere('person.username = :value', username);
  }

  /** Does nothing when the user has another address now, or when this one is already verified. */
  async markVerified(id: string, email: string, at: Date): Promise<void> {
    await this.database.manager.query(
      `
      UPDATE users SET email_verified_at = $3, updated_at = $3
      WHERE id = $1 AND lower(email) = lower($2) AND email_verified_at IS NULL`,
      [id, email, at],
    );
  }

  /**
   * Sets an address that the person has proven to read.
   *
   * @throws {EmailTaken} `email_taken`
   */
  async setEmail(id: string, email: string, at: Date): Promise<void> {
    try {
      await this.database.manager.update(User, { id }, { email, emailVerifiedAt: at, updatedAt: at });
    } catch (error) {
      throw violatedConstraintOf(error) === EMAIL_CONSTRAINT ? new EmailTaken() : error;
    }
  }

  /** Replaces what names the person, so that the username and the address are free. */
  async anonymize(id: string, passwordHash: string, at: Date): Promise<void> {
    const username = `deleted-${id.slice('usr_'.length)}`;
    await this.database.manager.update(
      User,
      { id },
      {
        username,
        email: `${username}@invalid.invalid`,
        emailVerifiedAt: null,
        passwordHash,
        secondFactor: false,
        updatedAt: at,
        deletedAt: at,
      },
    );
  }

  /**
   * Returns true when the password is still the one that was checked, and blocks changes of it until the transaction
   * ends. It takes an advisory lock and not the row, because changes of sessions lock rows in another order.
   */
  async keepsPassword(id: string, passwordHash: string): Promise<boolean> {
    await this.sharePasswordLock(id);
    return (await this.find(id))?.passwordHash === passwordHash;
  }

  /** Waits for a password change in progress, and blocks the next one until the transaction ends. */
  async sharePasswordLock(id: string): Promise<void> {
    await this.database.manager.query('SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0))', [
      passwordLockOf(id),
    ]);
  }

  /** Waits for transactions that rely on {@link keepsPassword}, and blocks new ones until the transaction ends. */
  async lockPassword(id: string): Promise<void> {
    await this.database.manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [passwordLockOf(id)]);
  }

  async setPassword(id: string, passwordHash: string, at: Date): Promise<void> {
    await this.database.manager.update(User, { id }, { passwordHash, hasPassword: true, updatedAt: at });
  }

  /** Leaves the person without a password. @param passwordHash that of one that nobody knows. */
  async removePassword(id: string, passwordHash: string): Promise<void> {
    await this.database.manager.update(User, { id }, { passwordHash, hasPassword: false });
  }

  private async findWhere(condition: string, value: string): Promise<User | undefined> {
    return (
      (await this.database.manager.createQueryBuilder(User, 'person').where(condition, { value }).getOne()) ?? undefined
    );
  }
}

const passwordLockOf = (id: string): string => `password of ${id}`;
