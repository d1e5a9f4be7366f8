/** The alphabet is Crockford's in lower case, as in the TypeID specification. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** The two characters for every value of ten bits. */
const PAIRS = Array.from({ length: 1_024 }, (_, bits) => ALPHABET[bits >> 5]! + ALPHABET[bits & 31]!);

/** Returns the first ten characters of a UUIDv7 in base32: 48 bits of time, with two zero bits before them. */
export function base32OfTime(ms: number): string {
  const [high, low] = [Math.floor(ms / 0x100_0000), ms % 0x100_0000];
  // `high` has the bits 24 to 47, and `low` has the bits 0 to 23.
  return (
    PAIRS[high >> 16]! +
    PAIRS[(high >> 6) & 1_023]! +
    PAIRS[((high & 63) << 4) | (low >> 20)]! +
    PAIRS[(low >> 10) & 1_023]! +
    PAIRS[low & 1_023]!
  );
}

/** Returns sixteen characters for the ten bytes from `start` on. */
export function base32OfTenBytes(bytes: Uint8Array, start: number): string {
  return ofFiveBytes(bytes, start) + ofFiveBytes(bytes, start + 5);
}

function ofFiveBytes(bytes: Uint8Array, start: number): string {
  const [a, b, c] = [bytes[start]!, bytes[start + 1]!, bytes[start + 2]!];
  const [d, e] = [bytes[start + 3]!, bytes[start + 4]!];
  return (
    PAIRS[(a << 2) | (b >> 6)]! +
    PAIRS[((b & 63) << 4) | (c >> 4)]! +
    PAIRS[((c & 15) << 6) | (d >> 2)]! +
    PAIRS[((d & 3) << 8) | e]!
  );
}
