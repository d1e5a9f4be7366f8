import type { PlanId } from '../plans/plan.js';
import type { Meter } from '../metering/meter.js';

/** Work that costs, before it is done. */
export interface WorkEstimate {
  readonly orgId: string;
  readonly plan: PlanId;
  readonly meter: Meter;
  readonly model?: string | null;
  /** The most that it may use, in the unit of the meter: what is used beyond it is the platform's loss. */
  readonly estimatedQuantity: bigint;
  /** Names the work, once and for all: beginning it twice holds once. */
  readonly key: string;
  /** From its beginning: later it is taken to be lost, and what it holds is given back. Default: an hour. */
  readonly withinMs?: number;
}

/** Work for which money is held, until it ends or is abandoned. Whoever knows its key can end it. */
export interface PaidWork {
  readonly key: string;
  readonly orgId: string;
  readonly heldNano: bigint;
  /** The time to which its use is booked, so that it counts towards the month whose spend cap let it begin. */
  readonly begunAt: Date;
}
