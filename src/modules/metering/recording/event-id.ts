import { createHash } from 'node:crypto';
import type { UsageEvent } from '../usage-event.js';

/**
 * The id of an event: a UUIDv7 (RFC 9562) whose time is the event's, and whose other 74 bits are of SHA-256(source, source
 * id). So the primary key of the table refuses an event that was recorded before, however long ago that was.
 */
export function eventIdOf({ source, sourceId, occurredAt }: Pick<UsageEvent, 'source' | 'sourceId' | 'occurredAt'>): string {
  const hash = createHash('sha256').update(source).update('\0').update(sourceId).digest();
  hash[6] = (hash[6]! & 0x0f) | 0x70;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  const hex = hash.toString('hex', 6, 16);
  return dashed(timeOf(occurredAt) + hex);
}

/** The smallest id of a time: events from then on have larger ones. */
export const firstIdFrom = (at: Date): string => dashed(`${timeOf(at)}00000000000000000000`);

const timeOf = (at: Date): string => at.getTime().toString(16).padStart(12, '0');

const dashed = (hex: string): string => `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
