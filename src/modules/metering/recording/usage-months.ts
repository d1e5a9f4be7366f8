import { Injectable } from '@nestjs/common';
import { growingCache } from '../../../platform/caches/growing-cache.js';
import { Database } from '../../../platform/database/database.js';
import { type UsageMonthKey, UsageMonthsStore } from '../persistence/usage-months.store.js';

const REMEMBERED = 100_000;

/** Caches the ids of rows of `usage_months` by what they count. Rows are never deleted, so the cache stays true. */
@Injectable()
export class UsageMonths {
  private readonly ids = growingCache<string>(REMEMBERED);

  constructor(
    private readonly database: Database,
    private readonly store: UsageMonthsStore,
  ) {}

  /** Returns the ids of the rows and creates missing rows. Keys and ids are mapped by {@link nameOf} the key. */
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
    // A rollback removes the rows that its transaction created, so ids are cached after the commit.
    await this.database.afterCommit(() => {
      for (const name of unknown) this.ids.set(name, ids.get(name));
      return Promise.resolve();
    });
    return ids;
  }

  /** Locks the rows until the running transaction ends, and returns the ids of those that are closed. */
  async lock(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const { count, closed } = await this.store.lock(ids);
    if (count !== ids.length) {
      this.ids.clear();
      throw new Error('A row of usage_months is missing.');
    }
    return new Set(closed);
  }
}

export const nameOf = ({ orgId, month, usedIn, meter, model, priceVersion }: UsageMonthKey): string =>
  `${orgId} ${month} ${usedIn} ${meter} ${model} ${priceVersion}`;
