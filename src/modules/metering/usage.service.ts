import assert from 'node:assert';
import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { hasMetOthers } from '../../platform/database/met-others.js';
import { violatedConstraintOf } from '../../platform/database/violated-constraint.js';
import { Clock } from '../../platform/time/clock.js';
import { MeteringMetrics } from './metrics/metering.metrics.js';
import { isModelOf } from './meter.js';
import { monthOf } from './month.js';
import { type NewUsageEvent, UsageEventsStore } from './persistence/usage-events.store.js';
import type { UsageMonthKey } from './persistence/usage-months.store.js';
import { PriceCatalog, type Prices } from './prices/price-catalog.js';
import { pricedQuantityOf } from './prices/price-version.js';
import { eventIdOf } from './recording/event-id.js';
import { nameOf, UsageMonths } from './recording/usage-months.js';
import { UsagePartitions } from './recording/usage-partitions.js';
import { MAX_QUANTITY, type RecordedUsage, type UsageEvent } from './usage-event.js';

export type { RecordedUsage, UsageEvent };

/** An event, and what it is counted in while its month is open. */
interface RatedEvent {
  readonly id: string;
  readonly event: UsageEvent;
  readonly key: UsageMonthKey;
  /** {@link nameOf} the key. */
  readonly countedIn: string;
}

/** Two transactions that want the same rows in another order are few, and meet again even less often. */
const ATTEMPTS = 5;

/** Records what was used: the one way into the bill. */
@Injectable()
export class UsageService {
  constructor(
    private readonly database: Database,
    private readonly prices: PriceCatalog,
    private readonly partitions: UsagePartitions,
    private readonly months: UsageMonths,
    private readonly events: UsageEventsStore,
    private readonly metrics: MeteringMetrics,
    private readonly clock: Clock,
  ) {}

  /**
   * Records events, all or none, and tells of each, in their order, whether it is new and what it costs. One that was
   * recorded before, with whatever other facts, changes nothing. An event of a month that is closed for its
   * organization becomes an adjustment of the present month, at the price of its own time.
   *
   * With `isPaid` whoever calls pays for them with the same transaction; else they are paid for within seconds, from
   * what the organization may spend.
   *
   * It joins the running transaction; then what it has counted is locked until that ends, so that it should be the last
   * that the transaction does.
   *
   * @throws {UsageWithoutPrice} where an event has no price: a mistake of who records it, and so a 500.
   */
  async record(events: readonly UsageEvent[], { isPaid = false } = {}): Promise<readonly RecordedUsage[]> {
    if (events.length === 0) return [];
    const prices = await this.prices.current();
    const rated = events.map((event) => rate(event, prices));
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.recordOnce(rated, isPaid);
      } catch (error) {
        // A transaction that has failed is over, whoever began it.
        const again = hasMetOthers(error) || violatedConstraintOf(error)?.startsWith('usage_events') === true;
        if (!again || this.database.inTransaction || attempt === ATTEMPTS) throw error;
      }
    }
  }

  private async recordOnce(events: readonly RatedEvent[], isPaid: boolean): Promise<RecordedUsage[]> {
    await this.partitions.ensure(new Set(events.map(({ event }) => monthOf(event.occurredAt))));
    // What is missing is made before the transaction begins, where there is none yet: rows that nobody else sees for
    // long make others wait.
    await this.months.idsOf(keysOf(events));
    return this.database.transaction(() => this.write(events, isPaid));
  }

  private async write(events: readonly RatedEvent[], isPaid: boolean): Promise<RecordedUsage[]> {
    const now = this.clock.now();
    const unique = new Map<string, RatedEvent>();
    for (const event of events) if (!unique.has(event.id)) unique.set(event.id, event);

    const { open, closed } = await this.countIn([...unique.values()], (event) => event.occurredAt);
    const late = await this.countIn(
      closed.map((event) => adjusted(event, now)),
      () => now,
    );
    assert(late.closed.length === 0, 'The present month is closed.');
    const counted = [...open, ...late.open];
    const written = await this.events.write(counted, { isPaid });

    const results = new Map(counted.map(({ id }, index) => [id, { id, ...written[index]! }]));
    await this.database.afterCommit(() => {
      this.metrics.recorded(counted.filter((_, index) => written[index]!.isNew).map(({ event: { meter } }) => meter));
      return Promise.resolve();
    });
    // Of an event that came twice at once, the first one is new.
    return events.map((one) =>
      unique.get(one.id) === one ? results.get(one.id)! : { ...results.get(one.id)!, isNew: false },
    );
  }

  /** Locks what the events are counted in, and tells which of them are of a month that is closed. */
  private async countIn(
    events: readonly RatedEvent[],
    billedAt: (event: UsageEvent) => Date,
  ): Promise<{ open: NewUsageEvent[]; closed: RatedEvent[] }> {
    if (events.length === 0) return { open: [], closed: [] };
    const ids = await this.months.idsOf(keysOf(events));
    const closedIds = await this.months.lock([...ids.values()]);
    const open: NewUsageEvent[] = [];
    const closed: RatedEvent[] = [];
    for (const rated of events) {
      const usageMonthId = ids.get(rated.countedIn)!;
      if (closedIds.has(usageMonthId)) closed.push(rated);
      else open.push({ id: rated.id, usageMonthId, event: rated.event, billedAt: billedAt(rated.event) });
    }
    return { open, closed };
  }
}

function rate(event: UsageEvent, prices: Prices): RatedEvent {
  const { orgId, meter, model, quantity, occurredAt } = event;
  assert(isModelOf(meter, model), `An event of ${meter} has the model ${String(model)}.`);
  assert(quantity >= 0n && quantity <= MAX_QUANTITY, `An event of ${meter} has the quantity ${quantity}.`);
  const { id: priceVersion, priceNano } = prices.get(meter, model, occurredAt);
  const month = monthOf(occurredAt);
  return ratedAs(event, eventIdOf(event), {
    orgId,
    month: month.name,
    usedIn: month.name,
    meter,
    model: model ?? '',
    priceVersion,
    priceNano,
    pricedPer: pricedQuantityOf(meter, month),
  });
}

/** In the bill of now, at the price and by the hours of the month that it was used in. */
const adjusted = ({ event, id, key }: RatedEvent, now: Date): RatedEvent =>
  ratedAs(event, id, { ...key, month: monthOf(now).name });

const ratedAs = (event: UsageEvent, id: string, key: UsageMonthKey): RatedEvent => ({
  event,
  id,
  key,
  countedIn: nameOf(key),
});

const keysOf = (events: readonly RatedEvent[]): ReadonlyMap<string, UsageMonthKey> =>
  new Map(events.map(({ countedIn, key }) => [countedIn, key]));
