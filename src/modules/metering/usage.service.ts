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

/** An event and the sum that it counts towards while its month is open. */
interface RatedEvent {
  readonly id: string;
  readonly event: UsageEvent;
  readonly key: UsageMonthKey;
  /** {@link nameOf} the key. */
  readonly countedIn: string;
}

interface Recording {
  readonly isPaid?: boolean;
  readonly besides?: () => void;
}

/** How often a conflict is retried. Two transactions that lock the same rows in different orders are rare. */
const ATTEMPTS = 5;

/** Records usage. It is the only way onto an invoice. */
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
   * Records events, all or none, and returns for each, in order, whether it is new and what it costs. An event that was
   * recorded before changes nothing, whatever its other facts are. If its month is closed for the organization, an
   * event becomes an adjustment of the current month, at the price of its own time.
   *
   * With `isPaid` the caller pays for the events in the same transaction. Otherwise they are charged within seconds.
   *
   * It joins the running transaction and locks what it counts until the end, so it should come last in the transaction.
   * `besides` is called, at most once, when all that it locks has been asked for and is not there yet: what that asks
   * for is locked after it, in the same round trip.
   *
   * @throws {UsageWithoutPrice} when an event has no price. That is a fault of the calling module, and so a 500.
   */
  async record(events: readonly UsageEvent[], how: Recording = {}): Promise<readonly RecordedUsage[]> {
    if (events.length === 0) return [];
    const prices = await this.prices.current();
    const rated = events.map((event) => rate(event, prices));
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.recordOnce(rated, how);
      } catch (error) {
        // A failed transaction that a caller began cannot be retried here.
        const again = hasMetOthers(error) || violatedConstraintOf(error)?.startsWith('usage_events') === true;
        if (!again || this.database.inTransaction || attempt === ATTEMPTS) throw error;
      }
    }
  }

  private async recordOnce(events: readonly RatedEvent[], how: Recording): Promise<RecordedUsage[]> {
    await this.partitions.ensure(new Set(events.map(({ event }) => monthOf(event.occurredAt))));
    // Missing rows are created before the transaction begins: rows of an uncommitted transaction make others wait.
    await this.months.idsOf(keysOf(events));
    return this.database.transaction(() => this.write(events, how));
  }

  private async write(events: readonly RatedEvent[], { isPaid = false, besides }: Recording): Promise<RecordedUsage[]> {
    const now = this.clock.now();
    const current = monthOf(now).name;
    const unique = new Map<string, RatedEvent>();
    for (const event of events) if (!unique.has(event.id)) unique.set(event.id, event);

    // The current month is never closed, so that nothing more is locked.
    const isCurrent = events.every(({ key }) => key.month === current);
    const { open, closed } = await this.countIn(
      [...unique.values()],
      (event) => event.occurredAt,
      isCurrent ? besides : undefined,
    );
    const late = await this.countIn(
      closed.map((event) => adjusted(event, now)),
      () => now,
    );
    assert(late.closed.length === 0, 'The current month is closed.');
    const counted = [...open, ...late.open];
    const written = await this.events.write(counted, { isPaid });

    const results = new Map(counted.map(({ id }, index) => [id, { id, ...written[index]! }]));
    await this.database.afterCommit(() => {
      this.metrics.recorded(counted.filter((_, index) => written[index]!.isNew).map(({ event: { meter } }) => meter));
      return Promise.resolve();
    });
    // If an event occurs twice in one call, the first one is new.
    return events.map((one) =>
      unique.get(one.id) === one ? results.get(one.id)! : { ...results.get(one.id)!, isNew: false },
    );
  }

  /** Locks the sums that the events count towards, and separates events whose month is closed. */
  private async countIn(
    events: readonly RatedEvent[],
    billedAt: (event: UsageEvent) => Date,
    besides?: () => void,
  ): Promise<{ open: NewUsageEvent[]; closed: RatedEvent[] }> {
    if (events.length === 0) return { open: [], closed: [] };
    const ids = await this.months.idsOf(keysOf(events));
    const locking = this.months.lock([...ids.values()]);
    besides?.();
    const closedIds = await locking;
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
  assert(isModelOf(meter, model), `An event of ${meter} has the invalid model ${String(model)}.`);
  assert(quantity >= 0n && quantity <= MAX_QUANTITY, `An event of ${meter} has the invalid quantity ${quantity}.`);
  const { id: priceVersion, priceNano } = prices.get({ orgId, meter, model }, occurredAt);
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

/** Moves an event into the current month, at the price and hours of the month of use. */
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
