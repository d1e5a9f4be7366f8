import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../../../platform/time/clock.js';
import { REMEMBERED_SECONDS } from '../tokens/remembered.js';
import type { KnownCaller } from './known-caller.js';

/** The limit keeps the memory for remembered callers below about 20 MB. */
const MAX_CALLERS = 10_000;

/**
 * Caches callers by token, so that most calls cost no query. An entry is at most ten seconds old, and is looked up
 * again sooner when an epoch reports a change. Concurrent calls with a token that is not cached share one lookup.
 */
@Injectable()
export class RememberedCallers {
  private readonly callers = new LRUCache<string, KnownCaller>({ max: MAX_CALLERS });
  private readonly lookups = new Map<string, Promise<KnownCaller>>();

  constructor(private readonly clock: Clock) {}

  /** @throws the error of `lookUp`, which is not cached. */
  get(token: string, lookUp: () => Promise<KnownCaller>): KnownCaller | Promise<KnownCaller> {
    const known = this.callers.get(token);
    if (known !== undefined && this.clock.now().getTime() < known.validUntilMs) return known;
    return this.lookUpOnce(token, lookUp);
  }

  /** Looks up the caller again. A lookup in progress is not shared, because it may have begun before the change. */
  async renew(token: string, lookUp: () => Promise<KnownCaller>): Promise<KnownCaller> {
    this.callers.delete(token);
    const caller = await lookUp();
    this.callers.set(token, caller);
    return caller;
  }

  private lookUpOnce(token: string, lookUp: () => Promise<KnownCaller>): Promise<KnownCaller> {
    let lookup = this.lookups.get(token);
    if (lookup === undefined) {
      lookup = lookUp()
        .then((caller) => {
          this.callers.set(token, caller);
          return caller;
        })
        .finally(() => {
          this.lookups.delete(token);
        });
      this.lookups.set(token, lookup);
    }
    return lookup;
  }

  /** Returns how long an entry that is looked up now is valid, if the credential itself ends at `endsAt`. */
  validUntilMs(endsAt: Date | null): number {
    const limit = this.clock.now().getTime() + REMEMBERED_SECONDS * 1000;
    return endsAt === null ? limit : Math.min(limit, endsAt.getTime());
  }
}
