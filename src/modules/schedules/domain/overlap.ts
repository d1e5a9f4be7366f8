/** What happens at a time while the last run of the schedule is active. */
export const OVERLAPS = ['skip', 'buffer_one', 'cancel_other', 'allow'] as const;
export type Overlap = (typeof OVERLAPS)[number];

/** What becomes of a time. `buffer` starts once the active run is over. */
type Admission =
  | { readonly dueAt: Date; readonly kind: 'start' | 'buffer' }
  | { readonly dueAt: Date; readonly kind: 'skip'; readonly reason: 'overlap' | 'replaced' };

export interface Admissions {
  readonly admissions: readonly Admission[];
  /** True when the run that is active now is to be cancelled. */
  readonly cancelsActive: boolean;
}

/** Decides what becomes of times that fire together, oldest first. */
export function admit(
  times: readonly Date[],
  overlap: Overlap,
  { isActive, isBuffered }: { readonly isActive: boolean; readonly isBuffered: boolean },
): Admissions {
  if (overlap === 'cancel_other') return replacing(times, isActive);
  let [active, buffered] = [isActive, isBuffered];
  const admissions = times.map((dueAt): Admission => {
    if (overlap === 'allow' || !active) {
      active = true;
      return { dueAt, kind: 'start' };
    }
    if (overlap === 'skip' || buffered) return { dueAt, kind: 'skip', reason: 'overlap' };
    buffered = true;
    return { dueAt, kind: 'buffer' };
  });
  return { admissions, cancelsActive: false };
}

/** Each time would cancel the run of the one before, so only the last begins. */
function replacing(times: readonly Date[], isActive: boolean): Admissions {
  const admissions = times.map((dueAt, index): Admission => {
    if (index < times.length - 1) return { dueAt, kind: 'skip', reason: 'replaced' };
    return { dueAt, kind: 'start' };
  });
  return { admissions, cancelsActive: isActive && times.length > 0 };
}
