import { inBatches } from './in-batches.js';

const KEPT_MS = 30 * 86_400_000;
/** The limit of one run. The rest is deleted by the next run. */
const BATCHES = { size: 1_000, most: 20 };

interface ExpiringRows {
  /** Deletes up to `limit` rows that expired before a time, and returns how many it deleted. */
  deleteExpired(before: Date, limit: number): Promise<number>;
}

/** Deletes what expired more than 30 days ago. */
export async function deleteExpired(rows: ExpiringRows, now: Date): Promise<void> {
  const before = new Date(now.getTime() - KEPT_MS);
  await inBatches((limit) => rows.deleteExpired(before, limit), BATCHES);
}
