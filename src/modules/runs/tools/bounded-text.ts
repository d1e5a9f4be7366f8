/** PostgreSQL stores no NUL, and lone surrogates have no UTF-8 form. */
export const storable = (text: string): string => Buffer.from(text.replaceAll('\0', '\ufffd')).toString();

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
