import type { Key } from 'path-to-regexp';

type Part =
  | { readonly kind: 'text'; readonly text: string }
  /** A segment of the path, or the rest of a segment. */
  | { readonly kind: 'segment'; readonly hasSlash: boolean }
  /** The rest of the path. It may have no segments if `mayBeEmpty` is set. */
  | { readonly kind: 'rest'; readonly hasSlash: boolean }
  | { readonly kind: 'segments'; readonly mayBeEmpty: boolean };

const SEGMENT = '[^\\/]+?';
const ANYTHING = '.*';

/**
 * Matches the patterns that need no regular expression, which are nearly all: text, `:slug` for a segment, and `:path*`
 * or `(.*)` at the end. It reads each character of a path once.
 */
export class PlainPattern {
  private constructor(private readonly parts: readonly Part[]) {}

  /** Returns undefined for a pattern that needs a regular expression. */
  static of(tokens: readonly (string | Key)[]): PlainPattern | undefined {
    const parts = tokens.map((token, index) => partOf(token, tokens[index + 1]));
    return parts.every((part) => part !== undefined) ? new PlainPattern(parts) : undefined;
  }

  /** Returns what each key matched, in order, or undefined when the path does not match. */
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

/** A segment can then only end where the next part begins. */
const isAtSlash = (next: string | Key | undefined): boolean =>
  next === undefined || (typeof next === 'string' ? next.startsWith('/') : next.prefix === '/' && next.modifier === '');

/** The beginning and the end of what a part matches. */
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
