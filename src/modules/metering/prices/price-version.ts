import { type Meter, METER_TABLE } from '../meter.js';
import type { Month } from '../month.js';

/** What a meter, or a model of it, costs from a time on until the next version's time. It never changes. */
export interface PriceVersion {
  readonly id: string;
  readonly meter: Meter;
  readonly model: string | null;
  /** For what the table of meters says. */
  readonly priceNano: bigint;
  readonly from: Date;
}

/** How much of the meter's unit a price is for, in this month. */
export const pricedQuantityOf = (meter: Meter, { hours }: Month): bigint => METER_TABLE[meter].price.quantity(hours);
