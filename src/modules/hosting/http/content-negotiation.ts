import { LRUCache } from 'lru-cache';
import type { Encoding } from '../store/content-keys.js';

/** Only a few values of the header are common. */
const parsed = new LRUCache<string, readonly Encoding[]>({ max: 200 });

/** Returns the supported encodings that a caller accepts, the better one first (RFC 9110, 12.5.3). */
export function acceptedEncodings(header: string | undefined): readonly Encoding[] {
  if (header === undefined || header.length > 256) return [];
  let accepted = parsed.get(header);
  if (accepted === undefined) {
    accepted = parse(header);
    parsed.set(header, accepted);
  }
  return accepted;
}

function parse(header: string): readonly Encoding[] {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((each) => each.trim());
    const weight = parameters.find((each) => each.startsWith('q='))?.slice(2);
    weights.set(name, weight === undefined ? 1 : Number(weight) || 0);
  }
  const weightOf = (name: Encoding): number =>
    weights.get(name) ?? (name === 'gzip' ? weights.get('x-gzip') : undefined) ?? weights.get('*') ?? 0;
  return (['br', 'gzip'] as const).filter((name) => weightOf(name) > 0);
}

/** True when `If-None-Match` contains this tag. The comparison is weak, as RFC 9110 requires for this header. */
export function matchesTag(header: string, etag: string): boolean {
  if (header === etag) return true;
  return header.trim() === '*' || header.split(',').some((each) => each.trim().replace(/^W\//, '') === etag);
}

export type WantedRange = { readonly start: number; readonly end: number } | 'unsatisfiable' | undefined;

/**
 * Reads a single range of bytes. Returns undefined for several ranges and for invalid ones; the whole file is then
 * sent, as RFC 9110 (14.2) allows.
 */
export function wantedRange(header: string, bytes: number): WantedRange {
  const parts = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header.trim());
  if (parts === null || (parts[1] === '' && parts[2] === '')) return undefined;
  const [, first = '', last = ''] = parts;
  if (first === '') {
    const length = Math.min(Number(last), bytes);
    return length === 0 ? 'unsatisfiable' : { start: bytes - length, end: bytes - 1 };
  }
  const start = Number(first);
  const end = last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= bytes ? 'unsatisfiable' : { start, end };
}
