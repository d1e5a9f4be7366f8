import { crc32 } from 'node:zlib';

/** A checksum of a stream: `update` for each piece, then `digest`, big-endian. */
export interface Crc {
  update(bytes: Uint8Array): void;
  digest(): Buffer;
}

/** zlib has CRC32 in native code. */
export class Crc32 implements Crc {
  private value = 0;

  update(bytes: Uint8Array): void {
    this.value = crc32(bytes, this.value);
  }

  digest(): Buffer {
    const result = Buffer.alloc(4);
    result.writeUInt32BE(this.value >>> 0);
    return result;
  }
}

const SLICES = 8;
const CASTAGNOLI = 0x82f63b78;

/** Entry `[k * 256 + b]` is what the byte `b` does to the checksum when `k` bytes of zero follow it. */
const CASTAGNOLI_TABLE = ((): Uint32Array => {
  const table = new Uint32Array(SLICES * 256);
  for (let byte = 0; byte < 256; byte++) {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ CASTAGNOLI : value >>> 1;
    table[byte] = value;
  }
  for (let index = 256; index < table.length; index++) {
    const before = table[index - 256]!;
    table[index] = (before >>> 8) ^ table[before & 255]!;
  }
  return table;
})();

/** Eight bytes at a time. */
export class Crc32c implements Crc {
  private value = 0xffffffff;

  update(bytes: Uint8Array): void {
    const table = CASTAGNOLI_TABLE;
    let value = this.value;
    let at = 0;
    for (const end = bytes.length - 7; at < end; at += 8) {
      const low = value ^ (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24));
      value =
        table[1_792 + (low & 255)]! ^
        table[1_536 + ((low >>> 8) & 255)]! ^
        table[1_280 + ((low >>> 16) & 255)]! ^
        table[1_024 + (low >>> 24)]! ^
        table[768 + bytes[at + 4]!]! ^
        table[512 + bytes[at + 5]!]! ^
        table[256 + bytes[at + 6]!]! ^
        table[bytes[at + 7]!]!;
    }
    for (; at < bytes.length; at++) value = (value >>> 8) ^ table[(value ^ bytes[at]!) & 255]!;
    this.value = value;
  }

  digest(): Buffer {
    const result = Buffer.alloc(4);
    result.writeUInt32BE((this.value ^ 0xffffffff) >>> 0);
    return result;
  }
}

/** The reflected polynomial of CRC-64/NVME, as two halves, because a number has 53 bits. */
const NVME_HIGH = 0x9a6c9329;
const NVME_LOW = 0xac4bc9b5;

const [NVME_HIGHS, NVME_LOWS] = ((): [Uint32Array, Uint32Array] => {
  const highs = new Uint32Array(SLICES * 256);
  const lows = new Uint32Array(SLICES * 256);
  for (let byte = 0; byte < 256; byte++) {
    let [high, low] = [0, byte];
    for (let bit = 0; bit < 8; bit++) {
      const isOdd = (low & 1) === 1;
      low = (low >>> 1) | (high << 31);
      high >>>= 1;
      if (isOdd) [high, low] = [high ^ NVME_HIGH, low ^ NVME_LOW];
    }
    highs[byte] = high;
    lows[byte] = low;
  }
  for (let index = 256; index < highs.length; index++) {
    const [high, low] = [highs[index - 256]!, lows[index - 256]!];
    highs[index] = (high >>> 8) ^ highs[low & 255]!;
    lows[index] = ((low >>> 8) | (high << 24)) ^ lows[low & 255]!;
  }
  return [highs, lows];
})();

/** Eight bytes at a time. */
export class Crc64Nvme implements Crc {
  private high = 0xffffffff;
  private low = 0xffffffff;

  update(bytes: Uint8Array): void {
    let { high, low } = this;
    let at = 0;
    for (const end = bytes.length - 7; at < end; at += 8) {
      const one = low ^ (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24));
      const two = high ^ (bytes[at + 4]! | (bytes[at + 5]! << 8) | (bytes[at + 6]! << 16) | (bytes[at + 7]! << 24));
      const a = 1_792 + (one & 255);
      const b = 1_536 + ((one >>> 8) & 255);
      const c = 1_280 + ((one >>> 16) & 255);
      const d = 1_024 + (one >>> 24);
      const e = 768 + (two & 255);
      const f = 512 + ((two >>> 8) & 255);
      const g = 256 + ((two >>> 16) & 255);
      const h = two >>> 24;
      high =
        NVME_HIGHS[a]! ^
        NVME_HIGHS[b]! ^
        NVME_HIGHS[c]! ^
        NVME_HIGHS[d]! ^
        NVME_HIGHS[e]! ^
        NVME_HIGHS[f]! ^
        NVME_HIGHS[g]! ^
        NVME_HIGHS[h]!;
      low =
        NVME_LOWS[a]! ^
        NVME_LOWS[b]! ^
        NVME_LOWS[c]! ^
        NVME_LOWS[d]! ^
        NVME_LOWS[e]! ^
        NVME_LOWS[f]! ^
        NVME_LOWS[g]! ^
        NVME_LOWS[h]!;
    }
    for (; at < bytes.length; at++) {
      const index = (low ^ bytes[at]!) & 255;
      low = ((low >>> 8) | (high << 24)) ^ NVME_LOWS[index]!;
      high = (high >>> 8) ^ NVME_HIGHS[index]!;
    }
    this.high = high;
    this.low = low;
  }

  digest(): Buffer {
    const result = Buffer.alloc(8);
    result.writeUInt32BE((this.high ^ 0xffffffff) >>> 0, 0);
    result.writeUInt32BE((this.low ^ 0xffffffff) >>> 0, 4);
    return result;
  }
}
