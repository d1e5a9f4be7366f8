import type { Plan } from '../../plans/plan.js';
import type { DatabaseRow } from '../persistence/database-rows.js';
import type { DatabaseAddress } from './database-address.js';
import type { RestorableTime } from './restorable-times.js';

const DAY_MS = 86_400_000;
/** How long the deletion of a database can be undone. */
export const RESTORABLE_FOR_MS = 7 * DAY_MS;

/** A database with what its row does not say. */
export interface DescribedDatabase {
  readonly row: DatabaseRow;
  readonly plan: Plan;
  readonly address: DatabaseAddress;
  readonly restorable: RestorableTime;
  /** True when production deploys get it. */
  readonly isInProduction: boolean;
}

/** Gigabytes of plans are decimal, as those of prices. */
export const quotaBytesOf = ({ databases }: Plan): number => databases.gigabytes * 1_000_000_000;

/** Returns until when the deletion can be undone. Null for a database that is not deleted. */
export const restorableUntilOf = ({ deleted_at: at }: DatabaseRow): Date | null =>
  at === null ? null : new Date(at.getTime() + RESTORABLE_FOR_MS);
