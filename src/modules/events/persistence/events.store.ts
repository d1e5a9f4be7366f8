import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { EventType } from '../event-types.js';

/** An event as it is stored for a day. */
export interface StoredEvent {
  readonly seq: number;
  readonly id: string;
  readonly type: EventType;
  readonly at: Date;
  readonly data: Readonly<Record<string, unknown>>;
}

@Injectable()
export class EventsStore {
  constructor(private readonly database: Database) {}

  /** Adds an event once. The numbers of an organization's events are in the order of their commits. */
  async insert(orgId: string, { id, type, at, data }: Omit<StoredEvent, 'seq'>): Promise<void> {
    await this.database.transaction(async () => {
      // Otherwise a reader could see number 8 before number 7 is committed, and never ask for 7 again.
      await this.database.manager.query("SELECT pg_advisory_xact_lock(hashtextextended('events ' || $1, 0))", [orgId]);
      await this.database.manager.query(
        `
        INSERT INTO org_events (id, org_id, type, at, data)
        SELECT $1, $2, $3, $4, $5 WHERE NOT EXISTS (SELECT 1 FROM org_events WHERE id = $1)
        ON CONFLICT (id) DO NOTHING`,
        [id, orgId, type, at, JSON.stringify(data)],
      );
    });
  }

  /** Returns the events after a number, oldest first. */
  after(orgId: string, seq: number, limit: number): Promise<StoredEvent[]> {
    return this.database.manager.query<StoredEvent[]>(
      `
      SELECT seq::float8 AS seq, id, type, at, data FROM org_events
      WHERE org_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
      [orgId, seq, limit],
    );
  }

  /** Returns the highest number, or 0 when nothing is stored. */
  async lastSeq(orgId: string): Promise<number> {
    const [row] = await this.database.manager.query<{ seq: number }[]>(
      'SELECT coalesce(max(seq), 0)::float8 AS seq FROM org_events WHERE org_id = $1',
      [orgId],
    );
    return row!.seq;
  }

  /** Deletes up to `limit` events that are older, and returns their number. */
  async deleteOlderThan(before: Date, limit: number): Promise<number> {
    const [, count] = await this.database.manager.query<[unknown, number]>(
      'DELETE FROM org_events WHERE id IN (SELECT id FROM org_events WHERE at < $1 ORDER BY at LIMIT $2)',
      [before, limit],
    );
    return count;
  }
}
