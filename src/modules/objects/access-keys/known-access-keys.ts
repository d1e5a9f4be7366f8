import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../../../platform/time/clock.js';
import { AccessKeyLookup } from './access-key-lookup.js';
import type { KnownAccessKey } from './known-access-key.js';
import { isAccessKeyId } from './new-key-pair.js';

const MAX_KEYS = 10_000;
/** Ids are random, so that an id that is unknown now does not become the id of a key. */
const UNKNOWN_MS = 10_000;

/**
 * Caches access keys, so that most requests cost no query. Unknown ids have a cache of their own, so that guesses do
 * not displace keys. Concurrent requests with a key that is not cached share one lookup.
 */
@Injectable()
export class KnownAccessKeys {
  private readonly keys = new LRUCache<string, KnownAccessKey>({ max: MAX_KEYS });
  private readonly unknown = new LRUCache<string, number>({ max: MAX_KEYS });
  private readonly lookups = new Map<string, Promise<KnownAccessKey | undefined>>();

  constructor(
    private readonly lookup: AccessKeyLookup,
    private readonly clock: Clock,
  ) {}

  async find(id: string): Promise<KnownAccessKey | undefined> {
    if (!isAccessKeyId(id)) return undefined;
    const now = this.clock.now().getTime();
    const known = this.keys.get(id);
    if (known !== undefined && now < known.validUntilMs) return known;
    if (now < (this.unknown.get(id) ?? 0)) return undefined;
    return this.lookUpOnce(id);
  }

  /** Looks up the key again. A lookup in progress is not shared, because it may have begun before the change. */
  async renew(id: string): Promise<KnownAccessKey | undefined> {
    this.keys.delete(id);
    return this.remember(id, await this.lookup.find(id));
  }

  private lookUpOnce(id: string): Promise<KnownAccessKey | undefined> {
    let lookup = this.lookups.get(id);
    if (lookup === undefined) {
      lookup = this.lookup
        .find(id)
        .then((key) => this.remember(id, key))
        .finally(() => {
          this.lookups.delete(id);
        });
      this.lookups.set(id, lookup);
    }
    return lookup;
  }

  private remember(id: string, key: KnownAccessKey | undefined): KnownAccessKey | undefined {
    if (key !== undefined) this.keys.set(id, key);
    else {
      this.keys.delete(id);
      this.unknown.set(id, this.clock.now().getTime() + UNKNOWN_MS);
    }
    return key;
  }
}
