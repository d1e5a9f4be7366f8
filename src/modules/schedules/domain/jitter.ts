import { createHash } from 'node:crypto';

/**
 * Returns how much later than planned a time fires, below the limit. It follows from the schedule and the time, so that
 * every process and every retry agree, and schedules with the same times spread out.
 */
export function jitterMs(scheduleId: string, dueAt: Date, limitSeconds: number): number {
  if (limitSeconds === 0) return 0;
  const hash = createHash('sha256').update(`${scheduleId} ${dueAt.toISOString()}`).digest();
  return hash.readUInt32BE() % (limitSeconds * 1_000);
}

/** Returns when a time of a schedule fires. */
export const wakeAtOf = (schedule: { readonly id: string; readonly jitterSeconds: number }, dueAt: Date): Date =>
  new Date(dueAt.getTime() + jitterMs(schedule.id, dueAt, schedule.jitterSeconds));
