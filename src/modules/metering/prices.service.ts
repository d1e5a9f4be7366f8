import { Injectable } from '@nestjs/common';
import { type Meter, METER_TABLE } from './meter.js';
import { monthOf } from './month.js';
import { PriceCatalog } from './prices/price-catalog.js';
import { pricedQuantityOf, type PriceVersion } from './prices/price-version.js';

interface Usage {
  readonly orgId: string;
  readonly meter: Meter;
  /** `<model>:<kind>`, for a meter that has models. */
  readonly model?: string | null;
  /** In the unit of the meter. */
  readonly quantity: bigint;
  readonly at: Date;
}

/** A price with the quantity that it is for. */
export interface ShownPrice extends PriceVersion {
  /** What the price is for: `hour`, `GB-month`, `1,000,000 tokens`. */
  readonly per: string;
}

/** Looks up prices and estimates costs. */
@Injectable()
export class PricesService {
  constructor(private readonly catalog: PriceCatalog) {}

  /**
   * Returns the cost in nano-dollars, rounded up. It is never less than what recording the usage adds to the invoice.
   *
   * @throws {UsageWithoutPrice} when there is no price. That is a fault of the calling module, and so a 500.
   */
  async estimate({ orgId, meter, model, quantity, at }: Usage): Promise<bigint> {
    const { priceNano } = (await this.catalog.current()).get({ orgId, meter, model }, at);
    const per = pricedQuantityOf(meter, monthOf(at));
    return (quantity * priceNano + per - 1n) / per;
  }

  /** Returns the prices in force at a time, one of each meter and model. */
  async list(at: Date): Promise<ShownPrice[]> {
    return (await this.catalog.current())
      .at(at)
      .map((version) => ({ ...version, per: METER_TABLE[version.meter].price.per }));
  }

  /** Returns a version by its id, whenever it is in force, or undefined. */
  async find(id: string): Promise<ShownPrice | undefined> {
    const version = (await this.catalog.current()).byId(id);
    return version && { ...version, per: METER_TABLE[version.meter].price.per };
  }
}
