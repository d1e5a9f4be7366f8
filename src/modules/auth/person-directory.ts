/** A person with an account, as authentication needs to know them. */
export interface Person {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly emailVerified: boolean;
  /** Rises whenever what the person may do has changed. */
  readonly authEpoch: number;
}

/**
 * What authentication and organizations ask about people. `people` implements it: it stands above both, because it
 * signs people up into their organization and opens their sessions.
 */
export abstract class PersonDirectory {
  abstract find(id: string): Promise<Person | undefined>;

  abstract findIdByEmail(email: string): Promise<string | undefined>;

  /** Usernames by the id of the person; unknown ids are left out. */
  abstract usernamesOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;

  /** Marks an address as verified. Does nothing when the person has another address by now. */
  abstract markVerified(id: string, email: string): Promise<void>;

  /**
   * Raises the person's epoch with the running transaction, and announces it to every process after the commit. Locks
   * the person's row: of rows that are locked together, this one comes last.
   */
  abstract raiseEpoch(id: string): Promise<void>;

  /** Waits for a password change that is in progress, and holds off the next one until the transaction ends. */
  abstract holdOffPasswordChange(id: string): Promise<void>;
}
