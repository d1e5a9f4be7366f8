import { LRUCache } from 'lru-cache';
import type { AliasListener } from '../persistence/alias-changes.js';

/** Unknown keys are cached too, because scanners request thousands of them. */
const MAX_KEYS = 10_000;
/** A missed notification is corrected after this time. */
const MAX_AGE_MS = 5_000;
/** The age limit while notifications are not received. */
const DEAF_AGE_MS = 50;

interface Entry<T> {
  readonly value: T | null;
  readonly readAtMs: number;
}

/** Caches values of the database whose changes are notified. */
export class NotifiedCache<T> implements AliasListener {
  private readonly entries = new LRUCache<string, Entry<T>>({ max: MAX_KEYS });
  private readonly reading = new Map<string, Promise<T | null>>();
  private hearing = false;
  private changes = 0;
  /** Entries that were read before this time may have changed without a notification. */
  private trustedFromMs = 0;

  /** @param load reads the value of a key, or null when it has none. */
  constructor(private readonly load: (key: string) => Promise<T | null>) {}

  changed(key: string): void {
    this.changes++;
    this.expire(key);
  }

  /** Reports a change of every key that matches. */
  changedWhere(matches: (key: string) => boolean): void {
    this.changes++;
    for (const key of [...this.entries.keys(), ...this.reading.keys()]) if (matches(key)) this.expire(key);
  }

  hears(hearing: boolean): void {
    this.hearing = hearing;
    this.changes++;
    this.reading.clear();
    this.trustedFromMs = performance.now();
  }

  /** Returns the value of a key without waiting, or undefined when the database must be queried. */
  known(key: string): T | null | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.readAtMs < this.trustedFromMs) return undefined;
    const maxAgeMs = this.hearing ? MAX_AGE_MS : DEAF_AGE_MS;
    return performance.now() - entry.readAtMs < maxAgeMs ? entry.value : undefined;
  }

  /** Returns null for a key without a value. While the database is unavailable, it returns the last known value. */
  find(key: string): Promise<T | null> {
    let reading = this.reading.get(key);
    if (reading === undefined) {
      const begun = this.read(key).finally(() => {
        if (this.reading.get(key) === begun) this.reading.delete(key);
      });
      reading = begun;
      this.reading.set(key, begun);
    }
    return reading;
  }

  private expire(key: string): void {
    this.reading.delete(key);
    const entry = this.entries.get(key);
    // The stale entry is kept for use while the database is unavailable.
    if (entry !== undefined) this.entries.set(key, { ...entry, readAtMs: -Infinity });
  }

  private async read(key: string): Promise<T | null> {
    const { changes } = this;
    const readAtMs = performance.now();
    try {
      const value = await this.load(key);
      // A value that was read during a change may be the old one.
      this.entries.set(key, { value, readAtMs: changes === this.changes ? readAtMs : -Infinity });
      return value;
    } catch (error) {
      const last = this.entries.get(key);
      if (last === undefined) throw error;
      return last.value;
    }
  }
}
