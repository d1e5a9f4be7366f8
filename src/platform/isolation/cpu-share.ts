import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/** A program's share of the processors. The weight matters only under contention; the maximum always applies. */
export interface CpuShare {
  /** The weight relative to other isolated programs, from 1 to 10,000; {@link ORDINARY_CPU} has 100. */
  readonly weight: number;
  /** The maximum in percent of one processor, so that 200 is two of them. Undefined means no maximum. */
  readonly maxPercent?: number | undefined;
}

/** The share of a program whose limits do not name one. */
export const ORDINARY_CPU: CpuShare = { weight: 100 };

/**
 * The default weight of all isolated programs of this machine together. They share one parent group, so that their
 * number does not matter: together they weigh a tenth of one busy thread of the service, PostgreSQL or Redis.
 */
export const ALL_ISOLATED_WEIGHT = 10;

const PERIOD_US = 100_000;
/** The kernel refuses a quota below one millisecond. */
const LEAST_QUOTA_US = 1_000;
/** Each step of niceness is worth a fifth of the weight (sched(7)). */
const WEIGHT_OF_ONE_STEP = 1.25;

/** Returns `cpu.shares` of version 1, where a process without a group has 1,024. */
export function sharesOf({ weight }: CpuShare): number {
  return Math.max(2, Math.round(weight * 10.24));
}

/** Returns `cpu.max` of version 2. */
export function maxOf(share: CpuShare): string {
  return `${share.maxPercent === undefined ? 'max' : quotaOf(share)} ${PERIOD_US}`;
}

/** Returns `cpu.cfs_quota_us` of version 1 with its default period; -1 means no quota. */
export function quotaOf({ maxPercent }: CpuShare): number {
  return maxPercent === undefined ? -1 : Math.max(LEAST_QUOTA_US, Math.round((maxPercent * PERIOD_US) / 100));
}

/**
 * Returns the niceness that replaces a share where there is no cpu controller: an ordinary program gets the niceness of
 * the weight that all isolated programs have together. It is always above 0, the niceness of the service itself.
 */
export function nicenessOf({ weight }: CpuShare, allWeight = ALL_ISOLATED_WEIGHT): number {
  const share = (allWeight / 100) * (weight / ORDINARY_CPU.weight);
  return Math.min(19, Math.max(1, Math.round(-Math.log(share) / Math.log(WEIGHT_OF_ONE_STEP))));
}

/** Replaces a cgroup of the cpu controller. Everything that the process starts later inherits the niceness. */
export function beNice(pid: number, niceness: number): void {
  try {
    setPriority(pid, niceness);
  } catch {
    // The process has ended since.
  }
  setSessionNiceness(pid, niceness);
}

/**
 * With `sched_autogroup_enabled`, as on most desktops, the kernel divides processors between sessions and compares the
 * niceness of processes within a session only. A new session begins without niceness, so each needs its own.
 * @returns false when the caller must retry: the kernel accepts ten of these calls a second from an ordinary user.
 */
export function setSessionNiceness(pid: number, niceness: number): boolean {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(niceness));
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EAGAIN';
  }
}
