import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { ChecksumAlgorithm } from '../persistence/bucket-rows.js';

interface Field {
  readonly bits: bigint;
  /** Reflected, without the highest term. */
  readonly polynomial: bigint;
  readonly powers: bigint[];
}

const FIELDS: Readonly<Record<LinearAlgorithm, Field>> = {
  CRC32: { bits: 32n, polynomial: 0xedb88320n, powers: [] },
  CRC32C: { bits: 32n, polynomial: 0x82f63b78n, powers: [] },
  CRC64NVME: { bits: 64n, polynomial: 0x9a6c9329ac4bc9b5n, powers: [] },
};

export type LinearAlgorithm = 'CRC32' | 'CRC32C' | 'CRC64NVME';

export const isLinear = (algorithm: ChecksumAlgorithm): algorithm is LinearAlgorithm => algorithm in FIELDS;

/** Other work of the process gets a turn after this many pieces. */
const PIECES_OF_TURN = 64;

/**
 * Returns the checksum of bytes that lie one behind the other from the checksums of each, without the bytes. Only a CRC
 * has this property.
 */
export async function combinedCrc(
  algorithm: LinearAlgorithm,
  pieces: readonly { readonly checksum: string; readonly size: number }[],
): Promise<string> {
  const field = FIELDS[algorithm];
  const shifts = new Map<number, bigint>();
  let total = 0n;
  for (const [index, { checksum, size }] of pieces.entries()) {
    if (index % PIECES_OF_TURN === PIECES_OF_TURN - 1) await turn();
    let shift = shifts.get(size);
    if (shift === undefined) shifts.set(size, (shift = shiftOf(size, field)));
    total = product(total, shift, field) ^ BigInt(`0x${hexOf(checksum)}`);
  }
  return Buffer.from(total.toString(16).padStart(Number(field.bits) / 4, '0'), 'hex').toString('base64');
}

/** Returns the checksum of the checksums, as S3 makes it for uploads in parts. */
export function checksumOfChecksums(digests: readonly string[], digestOf: (bytes: Buffer) => Buffer): string {
  return digestOf(Buffer.concat(digests.map((digest) => Buffer.from(digest, 'base64')))).toString('base64');
}

/** Returns the ETag of an upload in parts from the MD5s of the parts, in hexadecimal. */
export function etagOfParts(md5s: readonly string[]): string {
  const all = Buffer.concat(md5s.map((md5) => Buffer.from(md5, 'hex')));
  return `${createHash('md5').update(all).digest('hex')}-${md5s.length}`;
}

const hexOf = (base64: string): string => Buffer.from(base64, 'base64').toString('hex');

/** Returns x to the power of the bits of so many bytes, which is what bytes of zero multiply a checksum by. */
function shiftOf(size: number, field: Field): bigint {
  // The highest bit is x⁰.
  let result = 1n << (field.bits - 1n);
  let power = 0;
  for (let left = BigInt(size) * 8n; left > 0n; left >>= 1n, power++)
    if (left & 1n) result = product(result, powerOf(power, field), field);
  return result;
}

/** Returns x to the power of two to this power. */
function powerOf(power: number, field: Field): bigint {
  const { powers } = field;
  while (powers.length <= power) {
    const last = powers.at(-1);
    powers.push(last === undefined ? 1n << (field.bits - 2n) : product(last, last, field));
  }
  return powers[power]!;
}

function product(one: bigint, other: bigint, { bits, polynomial }: Field): bigint {
  let sum = 0n;
  let factor = other;
  for (let bit = bits - 1n; bit >= 0n; bit--) {
    if ((one >> bit) & 1n) sum ^= factor;
    factor = factor & 1n ? (factor >> 1n) ^ polynomial : factor >> 1n;
  }
  return sum;
}
