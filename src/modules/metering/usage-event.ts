import type { Meter } from './meter.js';

/** Something that was used. */
export interface UsageEvent {
  /**
   * Who tells of it, and its own name for what it tells of: `sandbox`, `exe_…`. Together with the time they are its
   * identity.
   */
  readonly source: string;
  readonly sourceId: string;
  readonly orgId: string;
  readonly projectId?: string | null;
  readonly meter: Meter;
  /** `<model>:input` or `<model>:output`, for a meter that has models. */
  readonly model?: string | null;
  /** In the unit of the meter, 0 to {@link MAX_QUANTITY}. */
  readonly quantity: bigint;
  /** To the millisecond. */
  readonly occurredAt: Date;
  /** For whoever looks into a bill later; nothing reads them. */
  readonly properties?: Readonly<Record<string, string>>;
}

/** A petabyte for an hour, 31,000 years of compute: more in one event is a mistake. */
export const MAX_QUANTITY = 10n ** 15n;

/** What became of an event. */
export interface RecordedUsage {
  /** A UUIDv7 of its time and of what identifies it. */
  readonly id: string;
  /** False for one that was recorded before; nothing was counted then. */
  readonly isNew: boolean;
  /** What it has added to the bill, when it was recorded first. */
  readonly costNano: bigint;
}
