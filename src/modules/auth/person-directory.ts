import type { OperatorRole } from '../operators/operator-role.js';

/** A user, with the facts that authentication needs. */
export interface Person {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly hasSecondFactor: boolean;
  /** False for people who have only ever signed in through a provider. */
  readonly hasPassword: boolean;
  /** The address that a change in progress leads to, if any. */
  readonly pendingEmail?: string;
  /** Undefined for people who are no operators. */
  readonly operator: OperatorRole | undefined;
  /** The epoch rises whenever the permissions of the user change. */
  readonly authEpoch: number;
}

/**
 * Gives authentication and organizations access to users. `people` implements it. It stands above both modules, because
 * sign-up creates the personal organization and opens a session.
 */
export abstract class PersonDirectory {
  abstract find(id: string): Promise<Person | undefined>;

  abstract findIdByEmail(email: string): Promise<string | undefined>;

  /** Usernames by the id of the person; unknown ids are left out. */
  abstract usernamesOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;

  /** Marks an address as verified. It does nothing when the user has another address now. */
  abstract markVerified(id: string, email: string): Promise<void>;

  /**
   * Notes in the running transaction whether the user has a second factor, and raises the epoch as {@link raiseEpoch}
   * does.
   */
  abstract noteSecondFactor(id: string, hasSecondFactor: boolean): Promise<void>;

  /**
   * Raises the user's epoch in the running transaction, and announces it to every process after the commit. It locks
   * the row of the user, which must be the last of several rows that a transaction locks.
   */
  abstract raiseEpoch(id: string): Promise<void>;

  /** Waits for a password change in progress, and blocks the next one until the transaction ends. */
  abstract holdOffPasswordChange(id: string): Promise<void>;
}
