const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const [OPENING_BRACKET, OPENING_BRACE] = [0x5b, 0x7b];
const [CLOSING_BRACKET, CLOSING_BRACE] = [0x5d, 0x7d];

/**
 * True when JSON text nests deeper than `limit`. The text is not parsed, because code that walks a parsed value
 * recurses, and 45,000 levels would overflow its stack.
 */
export function nestsDeeperThan(text: Uint8Array, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const byte = text[index]!;
    if (inString) {
      if (byte === BACKSLASH) index++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === OPENING_BRACKET || byte === OPENING_BRACE) {
      if (++depth > limit) return true;
    } else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACE) depth--;
  }
  return false;
}
