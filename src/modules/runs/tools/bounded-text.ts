/** Cuts a text to this many bytes of UTF-8, and not within a character. */
export function cutText(text: string, maxBytes: number): { readonly text: string; readonly isCut: boolean } {
  // A text of this many UTF-16 units has at least as many bytes.
  const bytes = Buffer.from(text.slice(0, maxBytes + 1));
  if (bytes.length <= maxBytes && text.length <= maxBytes) return { text, isCut: false };
  let end = maxBytes;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return { text: bytes.subarray(0, end).toString(), isCut: true };
}

/** PostgreSQL stores no NUL, and lone surrogates have no UTF-8 form. */
export const storable = (text: string): string => Buffer.from(text.replaceAll('\0', '\ufffd')).toString();

/** Cuts a text to what has this many characters as JSON, and not within a character. */
export function cutToJson(text: string, mostLength: number): { readonly text: string; readonly isCut: boolean } {
  // The quotes are not counted. No character of the text takes less than one of JSON.
  const fits = (end: number): boolean => JSON.stringify(text.slice(0, end)).length - 2 <= mostLength;
  if (text.length <= mostLength && fits(text.length)) return { text, isCut: false };
  let [low, high] = [0, Math.min(text.length, Math.max(0, mostLength))];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  // Half of a surrogate pair is no character.
  const isWithin = low > 0 && (text.charCodeAt(low - 1) & 0xfc00) === 0xd800;
  return { text: text.slice(0, isWithin ? low - 1 : low), isCut: true };
}

/** What a piece of a file may have as JSON, so that a model is shown all of it. */
const MAX_PIECE_LENGTH = 60_000;

/**
 * Returns the text of a part of a file, and where to read on; undefined for what has a NUL, which no text has.
 */
export function textOfPiece(
  bytes: Buffer,
  { offset, sizeBytes }: { readonly offset: number; readonly sizeBytes: number },
): { readonly text: string; readonly next_offset?: number } | undefined {
  if (bytes.includes(0)) return undefined;
  let text = bytes;
  while (JSON.stringify(text.toString()).length > MAX_PIECE_LENGTH) text = text.subarray(0, text.length / 2);
  const isLast = offset + text.length >= sizeBytes;
  if (!isLast) text = text.subarray(0, text.length - unfinishedOf(text));
  return { text: text.toString(), ...(isLast ? {} : { next_offset: offset + text.length }) };
}

/** Returns how many bytes at the end begin a character of UTF-8 that does not end there: 0 to 3. */
function unfinishedOf(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}
