/** Work on a database that takes a while, as its steps see it. */
export interface Operation {
  readonly id: string;
  readonly databaseId: string;
  readonly hostId: string;
  readonly kind: string;
  /** How many steps have succeeded. */
  readonly step: number;
  /** What the one who asked for it chose. It holds no secret. */
  readonly input: Readonly<Record<string, unknown>>;
  /** How often a worker took it since its last step that succeeded, this time included. */
  readonly attempts: number;
}

/** Why an operation failed, in words that a tenant may read. */
export interface OperationFailure {
  readonly code: string;
  readonly message: string;
}

/** An operation that this process has taken, until `leaseUntil` by the clock of the database. */
export interface ClaimedOperation extends Operation {
  readonly workerId: string;
}
