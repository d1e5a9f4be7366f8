import { LRUCache } from 'lru-cache';

/**
 * Returns a cache of up to so many entries whose memory grows with them. By its `max`, `LRUCache` allocates room for
 * all of them at once: 2.8 MB and a fraction of a second for 100,000.
 */
export function growingCache<Value extends object | string | boolean>(maxEntries: number): LRUCache<string, Value> {
  return new LRUCache<string, Value>({ maxSize: maxEntries, sizeCalculation: () => 1 });
}
