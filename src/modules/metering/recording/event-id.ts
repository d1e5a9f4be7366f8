import { hash } from 'node:crypto';
import type { UsageEvent } from '../usage-event.js';

/**
 * Returns the id of an event: a UUIDv7 (RFC 9562) with the time of the event and 74 bits of SHA-256(source, source id).
 * So the primary key refuses an event that was recorded before, however long ago that was.
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

/** The two variant bits of RFC 9562 with two bits of the hash. */
const VARIANT = '89ab';

/** Returns the smallest id of a time. Later events have larger ids. */
export const firstIdFrom = (at: Date): string => dashed(`${timeOf(at)}00000000000000000000`);

/** Returns the time of an id. */
export const timeOfId = (id: string): Date => new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16));

const timeOf = (at: Date): string => at.getTime().toString(16).padStart(12, '0');

const dashed = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
