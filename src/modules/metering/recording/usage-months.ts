import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Database } from '../../../platform/database/database.js';
import { type UsageMonthKey, UsageMonthsStore } from '../persistence/usage-months.store.js';

const REMEMBERED = 100_000;

/**
 * Knows the rows of `usage_months` by what they count: they are never deleted, so that what is once known stays true.
 */
@Injectable()
export class UsageMonths {
  private readonly ids = new LRUCache<string, string>({ max: REMEMBERED });

  constructor(
    private readonly database: Database,
    private readonly store: UsageMonthsStore,
  ) {}

  /** The ids of their rows, which are made where they are missing; keys and ids by {@link nameOf} the key. */
  async idsOf(keys: ReadonlyMap<string, UsageMonthKey>): Promise<ReadonlyMap<string, string>> {
    const ids = new Map<string, string>();
    const unknown: string[] = [];
    for (const name of keys.keys()) {
      const id = this.ids.get(name);
      if (id === undefined) unknown.push(name);
      else ids.set(name, id);
    }
    if (unknown.length === 0) return ids;
    const found = await this.store.ids(unknown.map((name) => keys.get(name)!));
    unknown.forEach((name, index) => ids.set(name, found[index]!));
    // A transaction that is rolled back takes the rows that it has made with it.
    await this.database.afterCommit(() => {
      for (const name of unknown) this.ids.set(name, ids.get(name));
      return Promise.resolve();
    });
    return ids;
  }

  /** Locks them until the running transaction ends. The ids of those that are closed. */
  async lock(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const { count, closed } = await this.store.lock(ids);
    if (count !== ids.length) {
      this.ids.clear();
      throw new Error('A row of usage_months is gone.');
    }
    return new Set(closed);
  }
}

export const nameOf = ({ orgId, month, usedIn, meter, model, priceVersion }: UsageMonthKey): string =>
  `${orgId} ${month} ${usedIn} ${meter} ${model} ${priceVersion}`;
