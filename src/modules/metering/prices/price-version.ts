import { type Meter, METER_TABLE } from '../meter.js';
import type { Month } from '../month.js';

/** The book of prices that applies where an organization has none of its own, or that has no price for something. */
export const STANDARD_BOOK = 'standard';

/** What a meter or model costs from a time on, until the next version begins. It never changes. */
export interface PriceVersion {
  readonly id: string;
  /** The book of prices that it is in. */
  readonly book: string;
  readonly meter: Meter;
  readonly model: string | null;
  /** The price of the quantity that the table of meters names. */
  readonly priceNano: bigint;
  readonly from: Date;
}

/** Returns how much of the meter's unit a price is for, in this month. */
export const pricedQuantityOf = (meter: Meter, { hours }: Month): bigint => METER_TABLE[meter].price.quantity(hours);
