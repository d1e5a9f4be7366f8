import { base32OfTime } from '../ids/base32.js';
import type { IdKind } from '../ids/define-id.js';
import type { BlobStorage } from '../blobs/blob-storage.js';

/**
 * A table with a partition for each month (UTC). The month of a row follows from its key, which begins with its time.
 */
export interface PartitionedTable {
  readonly name: string;
  /** The column that the table is partitioned by. */
  readonly key: string;
  /** Returns the smallest key of a time. Later keys are larger. */
  firstKeyFrom(at: Date): string;
  /** What is done with months that are long over. The default is nothing: they stay. */
  readonly old?: OldMonths;
}

export type OldMonths =
  | {
      /** Other background work deletes the rows. A partition is dropped when none is left. */
      readonly when: 'empty';
      /** How many months before the current one are kept even without rows, because something may be added to them. */
      readonly keptMonths: number;
    }
  | {
      /** The rows are written to an archive, and then the partition is dropped. */
      readonly when: 'archived';
      /** How many months before the current one stay in the table. */
      readonly keptMonths: number;
      openArchive(): Promise<BlobStorage>;
      /** Returns false while rows with a key before `end` are still needed in the table. The default is true. */
      isDone?(end: string): Promise<boolean>;
    };

/** Returns {@link PartitionedTable.firstKeyFrom} of a table whose key is an id of this kind. */
export const firstIdOf =
  ({ prefix }: IdKind) =>
  (at: Date): string =>
    `${prefix}_${base32OfTime(at.getTime())}`;
