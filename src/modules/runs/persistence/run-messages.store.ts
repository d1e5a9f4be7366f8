import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { RunMessage } from '../domain/run.js';

interface MessageRow {
  readonly seq: number;
  readonly after_step: number;
  readonly call_id: string | null;
  readonly content: unknown;
  readonly created_at: Date;
}

/** Stores what people say to runs. The run is locked while a message is added. */
@Injectable()
export class RunMessagesStore {
  constructor(private readonly database: Database) {}

  /** Adds a message after the last step that the run has begun. */
  async add(
    runId: string,
    message: { readonly callId: string | null; readonly content: unknown; readonly userId: string | null },
  ): Promise<number> {
    const [row] = await this.query<{ seq: number }>(
      `
      INSERT INTO run_messages (run_id, seq, after_step, call_id, content, user_id, created_at)
      SELECT $1, coalesce((SELECT max(seq) FROM run_messages WHERE run_id = $1), 0) + 1,
        coalesce((SELECT max(seq) FROM run_steps WHERE run_id = $1), 0), $2, $3::jsonb, $4, clock_timestamp()
      RETURNING seq`,
      [runId, message.callId, JSON.stringify(message.content), message.userId],
    );
    return row!.seq;
  }

  async list(runId: string): Promise<RunMessage[]> {
    const rows = await this.query<MessageRow>('SELECT * FROM run_messages WHERE run_id = $1 ORDER BY seq', [runId]);
    return rows.map((row) => ({
      seq: row.seq,
      afterStep: row.after_step,
      callId: row.call_id,
      content: row.content,
      createdAt: row.created_at,
    }));
  }

  /** Returns the answer to a call that has asked a person. */
  async answerTo(runId: string, callId: string): Promise<RunMessage | undefined> {
    return (await this.list(runId)).find((message) => message.callId === callId);
  }

  private query<T>(text: string, values: unknown[]): Promise<T[]> {
    return this.database.manager.query<T[]>(text, values);
  }
}
