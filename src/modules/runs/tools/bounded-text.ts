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
