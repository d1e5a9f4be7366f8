import { randomFillSync } from 'node:crypto';

const POOL_BYTES = 8_192;

/** Fetching random bytes costs the same for sixteen as for thousands, so that they are fetched by the pool. */
export class RandomBytes {
  private readonly pool = Buffer.allocUnsafeSlow(POOL_BYTES);
  private used = POOL_BYTES;

  /** Bytes that nobody else is given; the caller may change them. */
  take(count: number): Buffer {
    if (this.used + count > POOL_BYTES) {
      randomFillSync(this.pool);
      this.used = 0;
    }
    const bytes = Buffer.from(this.pool.subarray(this.used, this.used + count));
    this.used += count;
    return bytes;
  }
}
