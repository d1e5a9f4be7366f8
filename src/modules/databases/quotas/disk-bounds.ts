const GIBIBYTE = 1_073_741_824n;

/** What a database may take of the disk of its host, beside what is billed. */
export interface DiskBounds {
  /** Everything: tables, what a rewrite of them takes, temporary files and the log. */
  readonly diskBytes: bigint;
  /** The log that waits for the storage of backups. */
  readonly undrainedBytes: bigint;
}

/**
 * `VACUUM FULL` of a table needs its size again, which is how a full database becomes smaller. The log of a large load
 * waits for a moment, and that of a database whose backups cannot be stored for as long as it takes.
 */
export function diskBoundsOf(quotaBytes: bigint): DiskBounds {
  const quarter = quotaBytes / 4n;
  const undrainedBytes = quarter > 2n * GIBIBYTE ? quarter : 2n * GIBIBYTE;
  return { undrainedBytes, diskBytes: (quotaBytes * 22n) / 10n + undrainedBytes + GIBIBYTE };
}
