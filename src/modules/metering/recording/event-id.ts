import { hash } from 'node:crypto';
import type { UsageEvent } from '../usage-event.js';

/**
 * The id of an event: a UUIDv7 (RFC 9562) whose time is the event's, and whose other 74 bits are of SHA-256(source,
 * source id). So the primary key of the table refuses an event that was recorded before, however long ago that was.
 */
export function eventIdOf({
  source,
  sourceId,
  occurredAt,
}: Pick<UsageEvent, 'source' | 'sourceId' | 'occurredAt'>): string {
  const digest = hash('sha256', `${source}\0${sourceId}`);
  return dashed(
    `${timeOf(occurredAt)}7${digest.slice(0, 3)}${VARIANT[Number.parseInt(digest[3]!, 16) & 3]!}${digest.slice(4, 19)}`,
  );
}

/** The two bits that RFC 9562 wants, and two of the hash. */
const VARIANT = '89ab';

/** The smallest id of a time: events from then on have larger ones. */
export const firstIdFrom = (at: Date): string => dashed(`${timeOf(at)}00000000000000000000`);

const timeOf = (at: Date): string => at.getTime().toString(16).padStart(12, '0');

const dashed = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
