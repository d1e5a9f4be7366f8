import type { Base } from '../backups/restore-window.js';
import type { WalRange } from '../backups/wal-segments.js';

export type BackupKind = 'scheduled' | 'manual';
export type BackupState = 'pending' | 'ready' | 'failed';

/** A backup as callers see it. */
export interface Backup {
  readonly id: string;
  readonly clusterId: string;
  readonly kind: BackupKind;
  readonly state: BackupState;
  /** The number of the last attempt to make it. */
  readonly attempt: number;
  readonly partBytes: readonly number[];
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

/** A backup that is ready, with what a restore needs. */
export interface StoredBase extends Base {
  readonly clusterId: string;
  readonly attempt: number;
  /** The file `backup_label`, which PostgreSQL wrote at its end. */
  readonly label: string;
  readonly partBytes: readonly number[];
}

export interface StoredRange extends WalRange {
  readonly clusterId: string;
  /** The size of the blob. */
  readonly bytes: number;
}

export interface Archive {
  readonly clusterId: string;
  /** Everything that was committed before this moment is stored. */
  readonly completeUntil: Date;
  /** The last time that something was stored; null when nothing was. */
  readonly loggedAt: Date | null;
  /** The first moment that it can be restored to. */
  readonly restorableFrom: Date | null;
}
