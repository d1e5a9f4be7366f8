import assert from 'node:assert';
import { Injectable } from '@nestjs/common';
import { type Meter, METER_TABLE, type MeterUnit } from './meter.js';
import { monthOf } from './month.js';
import { type TotalRow, UsageTotalsStore } from './persistence/usage-totals.store.js';
import { pricedQuantityOf } from './prices/price-version.js';

const HOUR_MS = 3_600_000;

/** What an organization used of a meter at a price. It becomes a line of an invoice. */
export interface UsageTotal {
  readonly meter: Meter;
  /** `<model>:<kind>`; null for a meter that has no models. */
  readonly model: string | null;
  readonly priceVersionId: string;
  /** The first moment of the month that bills it. */
  readonly month: Date;
  /** The first moment of the month of use. */
  readonly usedIn: Date;
  /** True for an adjustment: usage of an earlier month that was closed when it became known. */
  readonly isLate: boolean;
  readonly quantity: bigint;
  readonly unit: MeterUnit;
  /**
   * For a whole month this is quantity times price, rounded down once. For a part of a month, the parts add up to that.
   */
  readonly costNano: bigint;
  readonly events: number;
}

/** Has an entry for each organization that was asked for. */
export type TotalsByOrg = ReadonlyMap<string, readonly UsageTotal[]>;

/** Sums up usage for invoices. */
@Injectable()
export class UsageTotalsService {
  constructor(private readonly store: UsageTotalsStore) {}

  /**
   * Sums what is billed from `from` on and before `to`, by meter, model, price and month, in a stable order. However a
   * time is split, its parts add up to it exactly. An adjustment belongs to the moment at which it became known.
   *
   * Whole hours are read from the roll-ups. For other times all events are read.
   */
  async totals(orgId: string, from: Date, to: Date): Promise<readonly UsageTotal[]> {
    return (await this.totalsOf([orgId], from, to)).get(orgId)!;
  }

  /** Does the same as {@link totals} for several organizations. */
  async totalsOf(orgIds: readonly string[], from: Date, to: Date): Promise<TotalsByOrg> {
    const isWhole = [from, to].every((at) => at.getTime() % HOUR_MS === 0);
    return byOrg(
      orgIds,
      isWhole ? await this.store.ofHours(orgIds, from, to) : await this.store.ofEvents(orgIds, from, to),
    );
  }

  /**
   * Recalculates what a month bills from its events alone, in the form of {@link totalsOf}. For a closed month the two
   * must agree.
   *
   * @param month any time in the month.
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
