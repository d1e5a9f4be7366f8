import type { Key } from 'path-to-regexp';

type Part =
  | { readonly kind: 'text'; readonly text: string }
  /** A segment of the path, or the rest of one. */
  | { readonly kind: 'segment'; readonly hasSlash: boolean }
  /** All that is left; `segments` of it may be none where `mayBeEmpty`. */
  | { readonly kind: 'rest'; readonly hasSlash: boolean }
  | { readonly kind: 'segments'; readonly mayBeEmpty: boolean };

const SEGMENT = '[^\\/]+?';
const ANYTHING = '.*';

/**
 * Matches patterns that need no engine, which are nearly all: text, `:slug` for a segment and `:path*` or `(.*)` at the
 * end. Each character of a path is looked at once.
 */
export class PlainPattern {
  private constructor(private readonly parts: readonly Part[]) {}

  /** Undefined where it is more than that. */
  static of(tokens: readonly (string | Key)[]): PlainPattern | undefined {
    const parts = tokens.map((token, index) => partOf(token, tokens[index + 1]));
    return parts.every((part) => part !== undefined) ? new PlainPattern(parts) : undefined;
  }

  /** What each of its keys caught, in order; undefined when the path is another. */
  match(path: string): string[] | undefined {
    const caught: string[] = [];
    let at = 0;
    for (const part of this.parts) {
      if (part.kind === 'text') {
        if (!path.startsWith(part.text, at)) return undefined;
        at += part.text.length;
        continue;
      }
      const found = endOf(part, path, at);
      if (found === undefined) return undefined;
      caught.push(path.slice(...found));
      at = found[1];
    }
    return at === path.length ? caught : undefined;
  }
}

function partOf(token: string | Key, next: string | Key | undefined): Part | undefined {
  if (typeof token === 'string') return { kind: 'text', text: token };
  const { prefix, suffix, pattern, modifier } = token;
  const hasSlash = prefix === '/';
  if (suffix !== '' || (!hasSlash && prefix !== '')) return undefined;
  if (next === undefined && pattern === ANYTHING && modifier === '') return { kind: 'rest', hasSlash };
  if (pattern !== SEGMENT) return undefined;
  if (modifier === '') return isAtSlash(next) ? { kind: 'segment', hasSlash } : undefined;
  return next === undefined && hasSlash && modifier !== '?'
    ? { kind: 'segments', mayBeEmpty: modifier === '*' }
    : undefined;
}

/** Then a segment can only end where the next part begins. */
const isAtSlash = (next: string | Key | undefined): boolean =>
  next === undefined || (typeof next === 'string' ? next.startsWith('/') : next.prefix === '/' && next.modifier === '');

/** Where what a part catches begins and ends. */
function endOf(part: Exclude<Part, { kind: 'text' }>, path: string, from: number): [number, number] | undefined {
  if (part.kind === 'segments' && part.mayBeEmpty && from === path.length) return [from, from];
  const hasSlash = part.kind === 'segments' || part.hasSlash;
  if (hasSlash && path[from] !== '/') return undefined;
  const start = hasSlash ? from + 1 : from;
  if (part.kind === 'rest') return [start, path.length];
  if (part.kind === 'segments') return isSegments(path.slice(start)) ? [start, path.length] : undefined;
  const slash = path.indexOf('/', start);
  const end = slash === -1 ? path.length : slash;
  return end === start ? undefined : [start, end];
}

const isSegments = (text: string): boolean =>
  text !== '' && !text.startsWith('/') && !text.endsWith('/') && !text.includes('//');
