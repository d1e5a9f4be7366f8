import { randomFillSync } from 'node:crypto';

const POOL_BYTES = 8_192;

/** Fetching random bytes costs the same for sixteen as for thousands, so they are fetched in large blocks. */
export class RandomBytes {
  private readonly pool = Buffer.allocUnsafeSlow(POOL_BYTES);
  private used = POOL_BYTES;

  /** Returns bytes that nothing else uses; the caller may change them. */
  take(count: number): Buffer {
    const { bytes, start } = this.reserve(count);
    return Buffer.from(bytes.subarray(start, start + count));
  }

  /** Returns the pool with `count` unused bytes from `start` on. The caller must read them before it yields. */
  reserve(count: number): { readonly bytes: Buffer; readonly start: number } {
    if (this.used + count > POOL_BYTES) {
      randomFillSync(this.pool);
      this.used = 0;
    }
    const start = this.used;
    this.used += count;
    return { bytes: this.pool, start };
  }
}
