import { Injectable } from '@nestjs/common';
import { type Meter, METER_TABLE } from './meter.js';
import { monthOf } from './month.js';
import { PriceCatalog } from './prices/price-catalog.js';
import { pricedQuantityOf, type PriceVersion } from './prices/price-version.js';

interface Usage {
  readonly meter: Meter;
  /** `<model>:input` or `<model>:output`, for a meter that has models. */
  readonly model?: string | null;
  /** In the unit of the meter. */
  readonly quantity: bigint;
  readonly at: Date;
}

/** A price as people read it. */
export interface ShownPrice extends PriceVersion {
  /** What the price is for: `hour`, `GB-month`, `1,000,000 tokens`. */
  readonly per: string;
}

/** What usage costs. */
@Injectable()
export class PricesService {
  constructor(private readonly catalog: PriceCatalog) {}

  /**
   * The cost in nano-dollars, rounded up: never less than what recording the usage then adds to the bill, whatever was
   * used before.
   *
   * @throws {UsageWithoutPrice} where there is no price: a mistake of who asks, and so a 500.
   */
  async estimate({ meter, model, quantity, at }: Usage): Promise<bigint> {
    const { priceNano } = (await this.catalog.current()).get(meter, model, at);
    const per = pricedQuantityOf(meter, monthOf(at));
    return (quantity * priceNano + per - 1n) / per;
  }

  /** The prices in force at a time, one of each meter and model. */
  async list(at: Date): Promise<ShownPrice[]> {
    return (await this.catalog.current())
      .at(at)
      .map((version) => ({ ...version, per: METER_TABLE[version.meter].price.per }));
  }

  /** That which some usage was rated with, whenever it is in force; undefined where none has the id. */
  async find(id: string): Promise<ShownPrice | undefined> {
    const version = (await this.catalog.current()).named(id);
    return version && { ...version, per: METER_TABLE[version.meter].price.per };
  }
}
