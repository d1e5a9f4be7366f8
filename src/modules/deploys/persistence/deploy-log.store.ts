import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { LogLine } from '../domain/deploy-facts.js';

/** The size of the log of a deploy. */
export interface LogSize {
  readonly lines: number;
  readonly bytes: number;
}

@Injectable()
export class DeployLogStore {
  constructor(private readonly database: Database) {}

  /** Only the current attempt writes. A lost attempt that still runs must not mix its lines with those of the next. */
  async append(deployId: string, attempt: number, lines: readonly LogLine[]): Promise<void> {
    await this.database.manager.query(
      `
      INSERT INTO deploy_log_lines (deploy_id, seq, at, phase, stream, text)
      SELECT $1, line.seq, line.at, line.phase, line.stream, line.text
      FROM jsonb_to_recordset($3::jsonb) AS line (seq int, at timestamptz, phase text, stream text, text text)
      WHERE EXISTS (SELECT FROM deploys WHERE id = $1 AND attempt = $2)
      ON CONFLICT DO NOTHING`,
      [deployId, attempt, JSON.stringify(lines)],
    );
  }

  async size(deployId: string): Promise<LogSize> {
    const [row] = await this.database.manager.query<LogSize[]>(
      `
      SELECT coalesce(max(seq), 0)::int AS lines, coalesce(sum(octet_length(text)), 0)::int AS bytes
      FROM deploy_log_lines WHERE deploy_id = $1`,
      [deployId],
    );
    return row!;
  }

  /** The lines after `seq`, in order. */
  after(deployId: string, seq: number, limit: number): Promise<LogLine[]> {
    return this.database.manager.query<LogLine[]>(
      `
      SELECT seq, at, phase, stream, text FROM deploy_log_lines
      WHERE deploy_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
      [deployId, seq, limit],
    );
  }

  /** The last lines, in order. */
  async last(deployId: string, limit: number): Promise<LogLine[]> {
    const lines = await this.database.manager.query<LogLine[]>(
      `
      SELECT seq, at, phase, stream, text FROM deploy_log_lines
      WHERE deploy_id = $1 ORDER BY seq DESC LIMIT $2`,
      [deployId, limit],
    );
    return lines.reverse();
  }

  /** Deletes the logs of up to `limit` deploys that ended before, and returns the number of deploys. */
  async deleteFinishedBefore(finishedBefore: Date, limit: number): Promise<number> {
    const [rows] = await this.database.manager.query<[{ deploy_id: string }[], number]>(
      `
      DELETE FROM deploy_log_lines WHERE deploy_id IN (
        SELECT d.id FROM deploys d
        WHERE d.finished_at < $1 AND EXISTS (SELECT FROM deploy_log_lines l WHERE l.deploy_id = d.id)
        ORDER BY d.finished_at LIMIT $2)
      RETURNING deploy_id`,
      [finishedBefore, limit],
    );
    return new Set(rows.map(({ deploy_id }) => deploy_id)).size;
  }
}
