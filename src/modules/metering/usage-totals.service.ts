import assert from 'node:assert';
import { Injectable } from '@nestjs/common';
import { type Meter, METER_TABLE, type MeterUnit } from './meter.js';
import { monthOf } from './month.js';
import { type TotalRow, UsageTotalsStore } from './persistence/usage-totals.store.js';
import { pricedQuantityOf } from './prices/price-version.js';

const HOUR_MS = 3_600_000;

/** What an organization has used of a meter at a price: what becomes a line of an invoice. */
export interface UsageTotal {
  readonly meter: Meter;
  /** `<model>:input` or `<model>:output`; null for a meter that has no models. */
  readonly model: string | null;
  readonly priceVersionId: string;
  /** The month that it is billed in, by its first moment. */
  readonly month: Date;
  /** The month that it was used in. */
  readonly usedIn: Date;
  /** It was used in an earlier month, which was closed when it became known: an adjustment. */
  readonly isLate: boolean;
  readonly quantity: bigint;
  readonly unit: MeterUnit;
  /** Of a whole month: quantity times price, rounded down once. Of less: the whole of it is the sum of its parts. */
  readonly costNano: bigint;
  readonly events: number;
}

/** One for each organization that was asked for. */
export type TotalsByOrg = ReadonlyMap<string, readonly UsageTotal[]>;

/** What usage comes to. */
@Injectable()
export class UsageTotalsService {
  constructor(private readonly store: UsageTotalsStore) {}

  /**
   * What is billed of a time, from its first moment until before its last, one of each meter, model, price and month,
   * in an order that is always the same. Wherever a time is split, its parts add up to it exactly. An adjustment
   * belongs to the moment at which it became known.
   *
   * Whole hours are read from the roll-ups; for anything else all events of the time are read.
   */
  async totals(orgId: string, from: Date, to: Date): Promise<readonly UsageTotal[]> {
    return (await this.totalsOf([orgId], from, to)).get(orgId)!;
  }

  /** {@link totals} of each of several organizations. */
  async totalsOf(orgIds: readonly string[], from: Date, to: Date): Promise<TotalsByOrg> {
    const isWhole = [from, to].every((at) => at.getTime() % HOUR_MS === 0);
    return byOrg(
      orgIds,
      isWhole ? await this.store.ofHours(orgIds, from, to) : await this.store.ofEvents(orgIds, from, to),
    );
  }

  /**
   * What is billed of a month, worked out anew from nothing but its events, and in the form of {@link totalsOf}: for a
   * month that is closed the two must agree.
   *
   * @param month any time in it.
   */
  async recomputeFromEvents(orgIds: readonly string[], month: Date): Promise<TotalsByOrg> {
    return byOrg(
      orgIds,
      await this.store.recomputed(orgIds, monthOf(month), (meter, usedIn) =>
        pricedQuantityOf(meter, monthOf(new Date(usedIn))),
      ),
    );
  }
}

function byOrg(orgIds: readonly string[], rows: readonly TotalRow[]): TotalsByOrg {
  const totals = new Map<string, UsageTotal[]>(orgIds.map((orgId) => [orgId, []]));
  for (const row of rows) totals.get(row.org_id)!.push(totalOf(row));
  return totals;
}

function totalOf({ meter, model, price_version, month, used_in, quantity, cost_nano, events }: TotalRow): UsageTotal {
  assert((model !== '') === METER_TABLE[meter].hasModel);
  return {
    meter,
    model: model === '' ? null : model,
    priceVersionId: price_version,
    month: new Date(month),
    usedIn: new Date(used_in),
    isLate: month !== used_in,
    quantity: BigInt(quantity),
    unit: METER_TABLE[meter].unit,
    costNano: BigInt(cost_nano),
    events: Number(events),
  };
}
