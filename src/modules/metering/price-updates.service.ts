import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Clock } from '../../platform/time/clock.js';
import type { Meter } from './meter.js';
import { PriceVersionsStore } from './persistence/price-versions.store.js';
import { PriceCatalog } from './prices/price-catalog.js';
import { type PriceVersion, STANDARD_BOOK } from './prices/price-version.js';

/** A price that applies from now on, or soon. */
export interface PriceUpdate {
  readonly meter: Meter;
  /** `<model>:<kind>`, for a meter that has models. */
  readonly model: string | null;
  readonly priceNano: bigint;
}

/** Every process knows a new version by then, and callers who have seen the old price have used it. */
const CHANGES_AFTER_MS = 10 * 60_000;
/** A first price begins a little earlier, so that a process with a slower clock can use it, too. */
const FIRST_BEFORE_MS = 60_000;

/** Adds prices that something other than the price file determines, such as a router of models. */
@Injectable()
export class PriceUpdatesService {
  constructor(
    private readonly database: Database,
    private readonly catalog: PriceCatalog,
    private readonly store: PriceVersionsStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Adds a version for each price that differs from the last one: the first of a meter and model applies at once, and a
   * change after 10 minutes. Versions never change, and the prices of the operator's file are never replaced. It joins
   * the running transaction.
   *
   * @returns the number of added versions.
   */
  async adopt(updates: readonly PriceUpdate[]): Promise<number> {
    // The operator's prices come first, so that no update is taken for the first price of a meter.
    await this.catalog.current();
    return this.database.transaction(async () => {
      await this.store.lock();
      const now = this.clock.now();
      const latest = new Map<string, PriceVersion>();
      for (const version of await this.store.list()) {
        if (version.book !== STANDARD_BOOK) continue;
        const known = latest.get(placeOf(version));
        if (known === undefined || known.from < version.from) latest.set(placeOf(version), version);
      }
      const fresh = updates.flatMap((update) => {
        const known = latest.get(placeOf(update));
        if (this.catalog.isOperators(update) || known?.priceNano === update.priceNano) return [];
        const version = versionOf(update, beginningOf(known, now));
        latest.set(placeOf(version), version);
        return [version];
      });
      await this.store.add(fresh, now);
      if (fresh.length > 0)
        await this.database.afterCommit(() => {
          this.catalog.forget();
          return Promise.resolve();
        });
      return fresh.length;
    });
  }

  /** True when the operator's file names a price for this meter and model, which no update replaces. */
  isOperators(priced: Pick<PriceUpdate, 'meter' | 'model'>): boolean {
    return this.catalog.isOperators(priced);
  }

  /** Reads the prices again when they are needed next, because another process has added some. */
  refresh(): void {
    this.catalog.forget();
  }
}

/** Versions of one place begin one after the other, also when a change was announced that has not begun. */
function beginningOf(known: PriceVersion | undefined, now: Date): Date {
  if (known === undefined) return new Date(now.getTime() - FIRST_BEFORE_MS);
  return new Date(Math.max(now.getTime() + CHANGES_AFTER_MS, known.from.getTime() + 1));
}

const placeOf = ({ meter, model }: PriceUpdate): string => `${meter} ${model ?? ''}`;

function versionOf(update: PriceUpdate, from: Date): PriceVersion {
  const name = `${placeOf(update)} ${from.getTime()}`;
  const { meter, model, priceNano } = update;
  return {
    id: `update-${createHash('sha256').update(name).digest('hex').slice(0, 32)}`,
    book: STANDARD_BOOK,
    meter,
    model,
    priceNano,
    from,
  };
}
