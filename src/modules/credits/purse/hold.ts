import type { Meter } from '../../metering/meter.js';
import type { Held } from './purse.js';

type HoldState = 'held' | 'settled' | 'released' | 'expired';

/** The row of a hold. Its split says what it holds and, after settlement, what was paid. */
export interface Hold extends Held {
  readonly key: string;
  readonly orgId: string;
  readonly meter: Meter;
  readonly model: string | null;
  readonly state: HoldState;
  readonly begunAt: Date;
  readonly expiresAt: Date;
  readonly endedAt: Date | null;
  /** The cost of the usage. Null until usage is reported. */
  readonly costNano: bigint | null;
  readonly lostNano: bigint | null;
  readonly refundedNano: bigint;
  readonly occurredAt: Date | null;
}
