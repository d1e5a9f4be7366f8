import type { Meter } from './meter.js';

/** A record of usage. */
export interface UsageEvent {
  /**
   * The reporting source and its own id for the event, such as `sandbox` and `exe_…`. Together with the time they
   * identify the event.
   */
  readonly source: string;
  readonly sourceId: string;
  readonly orgId: string;
  readonly projectId?: string | null;
  readonly meter: Meter;
  /** `<model>:<kind>`, for a meter that has models. */
  readonly model?: string | null;
  /** In the unit of the meter, 0 to {@link MAX_QUANTITY}. */
  readonly quantity: bigint;
  /** The time of use, to the millisecond. */
  readonly occurredAt: Date;
  /** Details for people who look into an invoice later. Nothing else reads them. */
  readonly properties?: Readonly<Record<string, string>>;
}

/** A petabyte for an hour, or 31,000 years of compute. More in one event is a mistake. */
export const MAX_QUANTITY = 10n ** 15n;

/** The result of recording an event. */
export interface RecordedUsage {
  /** A UUIDv7 of the time and the identity of the event. */
  readonly id: string;
  /** False if the event was recorded before; nothing was counted then. */
  readonly isNew: boolean;
  /** What the event added to the invoice when it was first recorded. */
  readonly costNano: bigint;
}
