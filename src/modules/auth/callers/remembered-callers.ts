import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../../../platform/time/clock.js';
import { REMEMBERED_SECONDS } from '../tokens/remembered.js';
import type { KnownCaller } from './known-caller.js';

/** Bounds what many keys could make a process remember: about 20 MB. */
const MAX_CALLERS = 10_000;

/**
 * Callers by the token that they showed, so that a call costs no query. What is remembered is at most ten seconds old,
 * and is looked up again sooner when an epoch tells of a change. Many calls at once of a token that is not remembered
 * share one lookup.
 */
@Injectable()
export class RememberedCallers {
  private readonly callers = new LRUCache<string, KnownCaller>({ max: MAX_CALLERS });
  private readonly lookups = new Map<string, Promise<KnownCaller>>();

  constructor(private readonly clock: Clock) {}

  /** @throws whatever `lookUp` throws; a refusal is not remembered. */
  get(token: string, lookUp: () => Promise<KnownCaller>): KnownCaller | Promise<KnownCaller> {
    const known = this.callers.get(token);
    if (known !== undefined && this.clock.now().getTime() < known.validUntilMs) return known;
    return this.lookUpOnce(token, lookUp);
  }

  /** Forgets what is known and looks it up anew: a lookup that is under way may have begun before the change. */
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

  /** Until when something that was looked up now may be remembered, when it ends by itself at `endsAt`. */
  validUntilMs(endsAt: Date | null): number {
    const limit = this.clock.now().getTime() + REMEMBERED_SECONDS * 1000;
    return endsAt === null ? limit : Math.min(limit, endsAt.getTime());
  }
}
