import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { RunEvent, RunEventType } from '../domain/run-events.js';

@Injectable()
export class RunEventsStore {
  constructor(private readonly database: Database) {}

  /** Returns the events after a number, in their order. */
  after(runId: string, seq: number, limit: number): Promise<RunEvent[]> {
    return this.database.manager.query<{ seq: number; type: RunEventType; at: Date; data: Record<string, unknown> }[]>(
      'SELECT seq, type, at, data FROM run_events WHERE run_id = $1 AND seq > $2 ORDER BY seq LIMIT $3',
      [runId, seq, limit],
    );
  }
}
