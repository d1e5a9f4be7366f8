import type { Meter } from '../meter.js';
import type { Month } from '../month.js';

/** What a meter, or a model of it, costs from a time on until the next version's time. It never changes. */
export interface PriceVersion {
  readonly id: string;
  readonly meter: Meter;
  readonly model: string | null;
  /** For what {@link PRICED_PER} says. */
  readonly priceNano: bigint;
  readonly from: Date;
}

/** What a price of each meter is for. */
export const PRICED_PER: Readonly<Record<Meter, string>> = {
  ai_tokens: '1,000,000 tokens',
  sandbox_compute: 'hour',
  database_storage: 'GB-month',
  object_storage: 'GB-month',
};

const MILLION = 1_000_000n;
const HOUR_MS = 3_600_000n;
const GIGABYTE = 1_000_000_000n;

/**
 * How much of the meter's unit a price is for. A GB-month is 10⁹ bytes for all hours of the month that they are kept
 * in, so that a month costs the same however long it is.
 */
export function pricedQuantityOf(meter: Meter, month: Month): bigint {
  switch (meter) {
    case 'ai_tokens':
      return MILLION;
    case 'sandbox_compute':
      return HOUR_MS;
    case 'database_storage':
    case 'object_storage':
      return GIGABYTE * BigInt(month.hours);
  }
}
