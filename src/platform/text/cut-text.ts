export interface CutText {
  readonly text: string;
  readonly isCut: boolean;
}

/** Cuts a text to this many bytes of UTF-8, and not within a character. */
export function cutToBytes(text: string, maxBytes: number): CutText {
  // A text of this many UTF-16 units has at least as many bytes.
  const bytes = Buffer.from(text.slice(0, maxBytes + 1));
  if (bytes.length <= maxBytes && text.length <= maxBytes) return { text, isCut: false };
  let end = maxBytes;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return { text: bytes.subarray(0, end).toString(), isCut: true };
}

/**
 * Cuts a text to what is at most this large as JSON, without the quotes, and not within a character. The size is that
 * in characters, unless another function measures it; no character of a text may be smaller than 1.
 */
export function cutToJson(text: string, most: number, sizeOf = (json: string): number => json.length): CutText {
  const fits = (end: number): boolean => sizeOf(JSON.stringify(text.slice(0, end))) - 2 <= most;
  if (text.length <= most && fits(text.length)) return { text, isCut: false };
  let [low, high] = [0, Math.min(text.length, Math.max(0, most))];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  // Half of a surrogate pair is no character.
  const isWithin = low > 0 && (text.charCodeAt(low - 1) & 0xfc00) === 0xd800;
  return { text: text.slice(0, isWithin ? low - 1 : low), isCut: true };
}
