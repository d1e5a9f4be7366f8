import { LRUCache } from 'lru-cache';

/** A missed notification is corrected after this time. */
const MAX_AGE_MS = 5_000;

interface Entry<T> {
  readonly value: T | null;
  readonly readAtMs: number;
}

interface Options<T> {
  readonly maxBytes: number;
  /** What a value takes of it, besides the key. */
  readonly bytesOf: (value: T) => number;
  /** Reads the value of a key, or null when it has none. `earlier` is the last known value. */
  readonly load: (key: string, earlier: T | null | undefined) => Promise<T | null>;
}

const ENTRY_BYTES = 200;

/**
 * Keeps values within a limit of memory. Keys without a value are kept too, because scanners request thousands of them.
 * Concurrent reads of one key share one load.
 */
export class FreshCache<T> {
  private readonly entries: LRUCache<string, Entry<T>>;
  private readonly loads = new Map<string, Promise<T | null>>();

  constructor(private readonly options: Options<T>) {
    this.entries = new LRUCache({
      maxSize: options.maxBytes,
      sizeCalculation: ({ value }, key) =>
        ENTRY_BYTES + key.length * 2 + (value === null ? 0 : Math.ceil(options.bytesOf(value))),
    });
  }

  /** Returns the value without waiting, or undefined when it must be loaded. */
  known(key: string): T | null | undefined {
    const entry = this.entries.get(key);
    return entry !== undefined && performance.now() - entry.readAtMs < MAX_AGE_MS ? entry.value : undefined;
  }

  find(key: string): Promise<T | null> {
    const running = this.loads.get(key);
    if (running !== undefined) return running;
    const readAtMs = performance.now();
    const load: Promise<T | null> = this.options
      .load(key, this.entries.peek(key)?.value)
      .then((value) => {
        // A value that was read during a change may be the old one. The change has then forgotten this load.
        if (this.loads.get(key) === load) this.entries.set(key, { value, readAtMs });
        return value;
      })
      .finally(() => {
        if (this.loads.get(key) === load) this.loads.delete(key);
      });
    this.loads.set(key, load);
    return load;
  }

  /** Forgets the keys that match, also those that are being loaded. */
  drop(matches: (key: string) => boolean): void {
    for (const key of [...this.entries.keys(), ...this.loads.keys()]) if (matches(key)) this.forget(key);
  }

  dropKey(key: string): void {
    this.forget(key);
  }

  private forget(key: string): void {
    this.entries.delete(key);
    this.loads.delete(key);
  }
}
