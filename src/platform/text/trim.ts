/**
 * Without the copies of one character at the end. A pattern for this (`/-+$/`) looks at every run of it anew, which for
 * a text that a tenant chose takes the square of its length.
 */
export function trimEnd(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}

/** Without the copies of one character at the beginning. */
export function trimStart(text: string, character: string): string {
  let start = 0;
  while (start < text.length && text[start] === character) start++;
  return text.slice(start);
}
