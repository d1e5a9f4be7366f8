import assert from 'node:assert';
import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { hasMetOthers } from '../../platform/database/met-others.js';
import { violatedConstraintOf } from '../../platform/database/violated-constraint.js';
import { Clock } from '../../platform/time/clock.js';
import { MeteringMetrics } from './metering.metrics.js';
import { isModelOf } from './meter.js';
import { monthOf } from './month.js';
import { UsageEventsStore } from './persistence/usage-events.store.js';
import type { UsageMonthKey } from './persistence/usage-months.store.js';
import { PriceCatalog, type Prices } from './prices/price-catalog.js';
import { pricedQuantityOf } from './prices/price-version.js';
import { eventIdOf } from './recording/event-id.js';
import { nameOf, UsageMonths } from './recording/usage-months.js';
import { UsagePartitions } from './recording/usage-partitions.js';
import { MAX_QUANTITY, type RecordedUsage, type UsageEvent } from './usage-event.js';

export type { RecordedUsage, UsageEvent };

/** An event, and what it is counted in while its month is open. */
interface RatedEvent extends UsageEvent {
  readonly id: string;
  readonly key: UsageMonthKey;
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
   * recorded before, with whatever other facts, changes nothing. An event of a month that is closed for its organization
   * becomes an adjustment of the present month, at the price of its own time.
   *
   * It joins the running transaction; then what it has counted is locked until that ends, so that it should be the last
   * that the transaction does.
   *
   * @throws {UsageWithoutPrice} where an event has no price: a mistake of who records it, and so a 500.
   */
  async record(events: readonly UsageEvent[]): Promise<readonly RecordedUsage[]> {
    if (events.length === 0) return [];
    const prices = await this.prices.current();
    const rated = events.map((event) => rate(event, prices));
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.recordOnce(rated);
      } catch (error) {
        // A transaction that has failed is over, whoever began it.
        const again = hasMetOthers(error) || violatedConstraintOf(error)?.startsWith('usage_events') === true;
        if (!again || this.database.inTransaction || attempt === ATTEMPTS) throw error;
      }
    }
  }

  private async recordOnce(events: readonly RatedEvent[]): Promise<RecordedUsage[]> {
    await this.partitions.ensure(new Map(events.map(({ occurredAt }) => monthOf(occurredAt)).map((month) => [month.name, month])).values());
    // What is missing is made before the transaction begins, where there is none yet: rows that nobody else sees for long make others wait.
    await this.months.idsOf(events.map(({ key }) => key));
    return this.database.transaction(() => this.write(events));
  }

  private async write(events: readonly RatedEvent[]): Promise<RecordedUsage[]> {
    const now = this.clock.now();
    const unique = [...new Map(events.map((event) => [event.id, event])).values()];
    const counted = await this.countIn(unique.map((event) => ({ ...event, billedAt: event.occurredAt })));
    const late = counted.filter(({ closed }) => closed).map(({ event }) => adjusted(event, now));
    const countedLate = late.length === 0 ? [] : await this.countIn(late);
    assert(!countedLate.some(({ closed }) => closed), 'The present month is closed.');

    const written = await this.events.write([...counted.filter(({ closed }) => !closed), ...countedLate].map(({ event, usageMonthId }) => ({
      id: event.id, usageMonthId, projectId: event.projectId ?? null, quantity: event.quantity, occurredAt: event.occurredAt, billedAt: event.billedAt,
      source: event.source, sourceId: event.sourceId, properties: event.properties,
    })));
    const byId = new Map(written.map(({ id, is_new, cost_nano }) => [id, { id, isNew: is_new, costNano: BigInt(cost_nano) }]));
    await this.database.afterCommit(() => {
      for (const { id, meter } of unique) if (byId.get(id)!.isNew) this.metrics.recorded(meter);
      return Promise.resolve();
    });
    const told = new Set<string>();
    return events.map(({ id }) => {
      const result = byId.get(id)!;
      if (told.has(id)) return { ...result, isNew: false };
      told.add(id);
      return result;
    });
  }

  /** Locks what the events are counted in, and tells which of it is closed. */
  private async countIn<Event extends RatedEvent>(events: readonly Event[]): Promise<{ event: Event; usageMonthId: string; closed: boolean }[]> {
    const ids = await this.months.idsOf(events.map(({ key }) => key));
    const closed = await this.months.lock([...new Set(ids.values())]);
    return events.map((event) => {
      const usageMonthId = ids.get(nameOf(event.key))!;
      return { event, usageMonthId, closed: closed.has(usageMonthId) };
    });
  }
}

function rate(event: UsageEvent, prices: Prices): RatedEvent {
  const { orgId, meter, model, quantity, occurredAt } = event;
  assert(isModelOf(meter, model), `An event of ${meter} has the model ${String(model)}.`);
  assert(quantity >= 0n && quantity <= MAX_QUANTITY, `An event of ${meter} has the quantity ${quantity}.`);
  const { id: priceVersion, priceNano } = prices.get(meter, model, occurredAt);
  const month = monthOf(occurredAt);
  const key = { orgId, month: month.name, usedIn: month.name, meter, model: model ?? '', priceVersion, priceNano, pricedPer: pricedQuantityOf(meter, month) };
  return { ...event, id: eventIdOf(event), key };
}

/** In the bill of now, at the price and by the hours of the month that it was used in. */
const adjusted = (event: RatedEvent, now: Date): RatedEvent & { billedAt: Date } => ({ ...event, billedAt: now, key: { ...event.key, month: monthOf(now).name } });
