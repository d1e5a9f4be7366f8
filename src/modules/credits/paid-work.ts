import type { PlanId } from '../plans/plan.js';
import type { Meter } from '../metering/meter.js';
import type { UsageEvent } from '../metering/usage-event.js';

/** A part of an estimate that has a price of its own. */
interface EstimateLine {
  /** `<model>:<kind>`, for a meter that has models. */
  readonly model?: string | null;
  /** In the unit of the meter. */
  readonly quantity: bigint;
}

/** Work to be paid for, before it is done. */
export interface WorkEstimate {
  readonly orgId: string;
  readonly plan: PlanId;
  readonly meter: Meter;
  /** The most that it may use. */
  readonly lines: readonly EstimateLine[];
  /**
   * True when usage beyond the estimate is charged, too, as far as credits, spend cap and budgets have room. The
   * platform bears what is left, and otherwise all usage beyond the estimate.
   */
  readonly chargesBeyond?: boolean;
  /** Whose budgets the work also needs room in, such as `key:key_…`. */
  readonly subjects?: readonly string[];
  /**
   * True when the organization pays for it elsewhere: nothing is held or charged, and only budgets count its price.
   * Such work ends with `endAll`.
   */
  readonly paidElsewhere?: boolean;
  /** Identifies the work. Beginning it twice holds once. */
  readonly key: string;
  /** The work is considered lost after this time, and its hold is released. The default is an hour. */
  readonly withinMs?: number;
}

/** Work with a hold, until it ends or is abandoned. Any caller with its key can end it. */
export interface PaidWork {
  readonly key: string;
  readonly orgId: string;
  readonly heldNano: bigint;
  /** The usage is booked at this time, so that it counts towards the month whose spend cap admitted the work. */
  readonly begunAt: Date;
}

/** Work that has ended, and what it used. */
export interface WorkEnd {
  readonly work: PaidWork;
  readonly meter: Meter;
  readonly events: readonly UsageEvent[];
  /** The same as when it began. */
  readonly paidElsewhere: boolean;
}
