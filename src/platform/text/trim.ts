/**
 * Removes the copies of one character at the end. A pattern such as `/-+$/` would take quadratic time on a text that a
 * tenant chose.
 */
export function trimEnd(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}

/** Removes the copies of one character at the beginning. */
export function trimStart(text: string, character: string): string {
  let start = 0;
  while (start < text.length && text[start] === character) start++;
  return text.slice(start);
}
