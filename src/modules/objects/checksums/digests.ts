import { createHash } from 'node:crypto';
import type { ChecksumAlgorithm } from '../persistence/bucket-rows.js';
import { type Crc, Crc32, Crc32c, Crc64Nvme } from './crc.js';

const DIGESTS: Readonly<Record<ChecksumAlgorithm, { readonly bytes: number; readonly begin: () => Crc }>> = {
  CRC32: { bytes: 4, begin: () => new Crc32() },
  CRC32C: { bytes: 4, begin: () => new Crc32c() },
  CRC64NVME: { bytes: 8, begin: () => new Crc64Nvme() },
  SHA1: { bytes: 20, begin: () => createHash('sha1') },
  SHA256: { bytes: 32, begin: () => createHash('sha256') },
};

export const beginDigest = (algorithm: ChecksumAlgorithm): Crc => DIGESTS[algorithm].begin();

export function digestOf(algorithm: ChecksumAlgorithm, bytes: Uint8Array): Buffer {
  const digest = beginDigest(algorithm);
  digest.update(bytes);
  return digest.digest();
}

/** True for text that can be a checksum of this algorithm, in base64. */
export const isChecksum = (algorithm: ChecksumAlgorithm, text: string): boolean => {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === DIGESTS[algorithm].bytes && bytes.toString('base64') === text;
};
