import { checksumOfChecksums, combinedCrc, isLinear } from '../checksums/combined.js';
import { digestOf } from '../checksums/digests.js';
import { InvalidPart } from '../objects.errors.js';
import type { ObjectUpload, StoredChecksum, UploadPart } from '../persistence/bucket-rows.js';

/** S3 has the same limit. */
const MIN_PART_BYTES = 5 * 1_048_576;

/** A part as the caller knows it. */
export interface CompletedPart {
  readonly number: number;
  /** Without quotes. */
  readonly etag: string;
  /** In base64. It is checked when it is given. */
  readonly checksum?: string | undefined;
}

/** Returns the stored parts that the caller names, in order. @throws {InvalidPart} `invalid_part` */
export function chosenParts(named: readonly CompletedPart[], stored: readonly UploadPart[]): UploadPart[] {
  const byNumber = new Map(stored.map((part) => [part.number, part]));
  if (named.length === 0) throw new InvalidPart('missing', 1);
  named.forEach(({ number }, index) => {
    const before = named[index - 1];
    if (before !== undefined && before.number >= number) throw new InvalidPart('order', number);
  });
  return named.map(({ number, etag, checksum }, index) => {
    const part = byNumber.get(number);
    if (part?.etag !== etag || (checksum !== undefined && checksum !== part.checksum?.value))
      throw new InvalidPart('missing', number);
    if (part.size < MIN_PART_BYTES && index < named.length - 1) throw new InvalidPart('small', number);
    return part;
  });
}

/** Returns the checksum that the upload asked for, if all parts have it. */
export async function checksumOfParts(
  { checksumAlgorithm: algorithm, checksumType }: Pick<ObjectUpload, 'checksumAlgorithm' | 'checksumType'>,
  parts: readonly UploadPart[],
): Promise<StoredChecksum | null> {
  const checksums = parts.flatMap(({ checksum, size }) =>
    checksum !== null && checksum.algorithm === algorithm ? [{ checksum: checksum.value, size }] : [],
  );
  if (algorithm === null || checksums.length < parts.length) return null;
  if (checksumType === 'FULL_OBJECT' && isLinear(algorithm))
    return { algorithm, type: 'FULL_OBJECT', value: await combinedCrc(algorithm, checksums) };
  const value = checksumOfChecksums(
    checksums.map(({ checksum }) => checksum),
    (bytes) => digestOf(algorithm, bytes),
  );
  return { algorithm, type: 'COMPOSITE', value: `${value}-${parts.length}` };
}
