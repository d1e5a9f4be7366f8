import { randomFillSync } from 'node:crypto';

const POOL_BYTES = 8_192;

/** Fetching random bytes costs the same for sixteen as for thousands, so that they are fetched by the pool. */
export class RandomBytes {
  private readonly pool = Buffer.allocUnsafeSlow(POOL_BYTES);
  private used = POOL_BYTES;

  /** Bytes that nobody else is given; the caller may change them. */
  take(count: number): Buffer {
    const { bytes, start } = this.reserve(count);
    return Buffer.from(bytes.subarray(start, start + count));
  }

  /** As many of the pool's bytes, from `start` on, for a caller that reads them before it gives control away. */
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
