import { createHash } from 'node:crypto';

/** Where the bits begin: after their number and the number of hashes, 4 bytes each, the lower first. */
const HEADER_BYTES = 8;

/**
 * A set of texts in about 19 bits each, which a caller cannot read back. It holds every text that was added, and at
 * that size one in 10,000 of the others.
 */
export class BloomFilter {
  private constructor(
    private readonly bits: Buffer,
    private readonly hashes: number,
  ) {}

  /** @param falsePositives the share of other texts that the filter holds, once `count` texts are added */
  static empty(count: number, falsePositives: number): BloomFilter {
    const bits = Math.ceil((-count * Math.log(falsePositives)) / Math.LN2 ** 2);
    return new BloomFilter(Buffer.alloc(Math.ceil(bits / 8)), Math.max(1, Math.round((bits / count) * Math.LN2)));
  }

  /** @throws {RangeError} when these are not the bytes of a filter. */
  static of(bytes: Buffer): BloomFilter {
    const bits = bytes.subarray(HEADER_BYTES);
    if (bits.length === 0 || bytes.readUInt32LE(0) !== bits.length * 8) throw new RangeError('Not a Bloom filter.');
    return new BloomFilter(bits, bytes.readUInt32LE(4));
  }

  add(text: string): void {
    for (const at of this.placesOf(text)) this.bits[at >> 3]! |= 1 << (at & 7);
  }

  has(text: string): boolean {
    return this.placesOf(text).every((at) => (this.bits[at >> 3]! & (1 << (at & 7))) !== 0);
  }

  get bytes(): Buffer {
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt32LE(this.bits.length * 8, 0);
    header.writeUInt32LE(this.hashes, 4);
    return Buffer.concat([header, this.bits]);
  }

  private placesOf(text: string): number[] {
    const digest = createHash('sha256').update(text).digest();
    const [first, step] = [digest.readUInt32LE(0), digest.readUInt32LE(4)];
    return Array.from({ length: this.hashes }, (_, index) => (first + index * step) % (this.bits.length * 8));
  }
}
