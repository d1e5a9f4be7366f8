import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';

export interface AppLogLine {
  /** Increases with each line. */
  readonly seq: number;
  readonly at: Date;
  readonly stream: 'stdout' | 'stderr' | 'system';
  readonly text: string;
}

export type NewAppLogLine = Omit<AppLogLine, 'seq'> & { readonly deployId: string };

@Injectable()
export class AppLogStore {
  constructor(private readonly database: Database) {}

  /** Adds lines, and keeps only the last `keep` lines of each of these deploys. */
  async add(lines: readonly NewAppLogLine[], keep: number): Promise<void> {
    await this.database.manager.query(
      `
      INSERT INTO app_log_lines (deploy_id, at, stream, text)
      SELECT * FROM unnest($1::text[], $2::timestamptz[], $3::text[], $4::text[])`,
      [
        lines.map((line) => line.deployId),
        lines.map((line) => line.at),
        lines.map((line) => line.stream),
        lines.map((line) => line.text),
      ],
    );
    for (const deployId of new Set(lines.map((line) => line.deployId))) {
      await this.database.manager.query(
        `
        DELETE FROM app_log_lines WHERE deploy_id = $1 AND seq <= (
          SELECT seq FROM app_log_lines WHERE deploy_id = $1 ORDER BY seq DESC OFFSET $2 LIMIT 1)`,
        [deployId, keep],
      );
    }
  }

  /** Returns the lines after `after`, or the last ones, in order. */
  async read(deployId: string, { after, limit }: { after: number | undefined; limit: number }): Promise<AppLogLine[]> {
    const rows = await this.database.manager.query<
      { seq: string; at: Date; stream: AppLogLine['stream']; text: string }[]
    >(
      after === undefined
        ? `
      SELECT * FROM (
        SELECT seq, at, stream, text FROM app_log_lines
        WHERE deploy_id = $1 AND $2::bigint IS NULL ORDER BY seq DESC LIMIT $3) last
      ORDER BY seq`
        : 'SELECT seq, at, stream, text FROM app_log_lines WHERE deploy_id = $1 AND seq > $2 ORDER BY seq LIMIT $3',
      [deployId, after ?? null, limit],
    );
    return rows.map((row) => ({ ...row, seq: Number(row.seq) }));
  }

  async remove(deployId: string): Promise<void> {
    await this.database.manager.query('DELETE FROM app_log_lines WHERE deploy_id = $1', [deployId]);
  }
}
