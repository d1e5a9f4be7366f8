import { storable } from './bounded-text.js';
import { cutToBytes } from '../../../platform/text/cut-text.js';

/** What a model is shown of one value. */
const MAX_VALUE_BYTES = 8_192;
/** JSON that nests deeper is shown as text, so that nothing that stores it meets its own limit. */
const MAX_DEPTH = 32;
/** A half of a surrogate pair, or a NUL, as JSON writes them. */
const UNSOUND_ESCAPE = /\\u(?:d[89a-f][0-9a-f]{2}|0000)/i;

/** Returns a value of a database in a form that can be stored and is not large. */
export function shownValue(value: unknown): unknown {
  if (typeof value === 'string') return shownText(value);
  if (typeof value !== 'object' || value === null) return value;
  const text = jsonOf(value);
  const isPlain = text.length <= MAX_VALUE_BYTES && !UNSOUND_ESCAPE.test(text) && depthOf(text) <= MAX_DEPTH;
  return isPlain ? value : shownText(text);
}

/** Returns the first items that are together not larger than this as JSON. */
export function within<T>(items: readonly T[], maxBytes: number): { readonly kept: T[]; readonly isCut: boolean } {
  const kept: T[] = [];
  let bytes = 0;
  for (const item of items) {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1;
    if (bytes > maxBytes) return { kept, isCut: true };
    kept.push(item);
  }
  return { kept, isCut: false };
}

function shownText(value: string): string {
  const { text, isCut } = cutToBytes(storable(value), MAX_VALUE_BYTES);
  return isCut ? `${text}… [cut]` : text;
}

function jsonOf(value: object): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '[JSON that nests too deeply]';
  }
}

/** Brackets in texts count as well, which only makes it careful. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const letter of text) {
    if (letter === '[' || letter === '{') deepest = Math.max(deepest, ++depth);
    else if (letter === ']' || letter === '}') depth--;
  }
  return deepest;
}
