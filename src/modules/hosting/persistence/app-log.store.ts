import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { AppLogLevel, AppLogStream } from '../servers/log-level.js';

export interface AppLogLine {
  /** Increases with each line. A later line of the same project never has a smaller one. */
  readonly seq: number;
  readonly deployId: string;
  readonly at: Date;
  readonly stream: AppLogStream;
  readonly level: AppLogLevel;
  readonly text: string;
}

export type NewAppLogLine = Omit<AppLogLine, 'seq'>;

/** The lines of one deploy or, without one, of all deploys of a project. */
export type AppLogScope = { readonly projectId: string } | { readonly deployId: string };

export interface AppLogRequest {
  /** Undefined for all levels. */
  readonly levels: readonly AppLogLevel[] | undefined;
  /** The first lines after this `seq`; undefined for the last lines. */
  readonly after: number | undefined;
  readonly limit: number;
}

/** The first key of the advisory locks of projects that are written to. The number is arbitrary, and unique here. */
const WRITE_LOCK = 7_302_520;

/** Lines of the previous release have no level. */
const LEVEL = `coalesce(l.level, CASE l.stream WHEN 'stdout' THEN 'info' WHEN 'stderr' THEN 'error' ELSE 'system' END)`;

@Injectable()
export class AppLogStore {
  constructor(private readonly database: Database) {}

  /**
   * Adds lines, and keeps only the last `keep` lines of each of these deploys. Lines of a project are written under a
   * lock, so that a reader who has seen a line never misses one with a smaller `seq` that another process writes.
   */
  async add(lines: readonly NewAppLogLine[], keep: number): Promise<void> {
    const deployIds = [...new Set(lines.map((line) => line.deployId))];
    await this.database.transaction(async () => {
      await this.database.manager.query(
        `
        SELECT pg_advisory_xact_lock($1, key) FROM (
          SELECT DISTINCT hashtext(project_id) AS key FROM hosted_deploys WHERE deploy_id = ANY($2) ORDER BY key) keys`,
        [WRITE_LOCK, deployIds],
      );
      await this.database.manager.query(
        `
        INSERT INTO app_log_lines (deploy_id, at, stream, level, text)
        SELECT * FROM unnest($1::text[], $2::timestamptz[], $3::text[], $4::text[], $5::text[])`,
        [
          lines.map((line) => line.deployId),
          lines.map((line) => line.at),
          lines.map((line) => line.stream),
          lines.map((line) => line.level),
          lines.map((line) => line.text),
        ],
      );
    });
    for (const deployId of deployIds) {
      await this.database.manager.query(
        `
        DELETE FROM app_log_lines WHERE deploy_id = $1 AND seq <= (
          SELECT seq FROM app_log_lines WHERE deploy_id = $1 ORDER BY seq DESC OFFSET $2 LIMIT 1)`,
        [deployId, keep],
      );
    }
  }

  /** Returns lines in order. */
  async read(scope: AppLogScope, { levels, after, limit }: AppLogRequest): Promise<AppLogLine[]> {
    const [condition, id] = 'deployId' in scope ? ['deploy_id', scope.deployId] : ['project_id', scope.projectId];
    const order = after === undefined ? 'DESC' : 'ASC';
    // Each deploy has few lines, but a project may have many deploys, so that each contributes no more than the limit.
    const rows = await this.database.manager.query<(Omit<AppLogLine, 'seq'> & { seq: string })[]>(
      `
      SELECT lines.* FROM (SELECT deploy_id FROM hosted_deploys WHERE ${condition} = $1) d CROSS JOIN LATERAL (
        SELECT l.seq, l.deploy_id AS "deployId", l.at, l.stream, ${LEVEL} AS level, l.text
        FROM app_log_lines l
        WHERE l.deploy_id = d.deploy_id AND l.seq > $2 AND ($3::text[] IS NULL OR ${LEVEL} = ANY($3))
        ORDER BY l.seq ${order} LIMIT $4) lines
      ORDER BY lines.seq ${order} LIMIT $4`,
      [id, after ?? 0, levels ?? null, limit],
    );
    const lines = rows.map((row) => ({ ...row, seq: Number(row.seq) }));
    return after === undefined ? lines.reverse() : lines;
  }

  async remove(deployId: string): Promise<void> {
    await this.database.manager.query('DELETE FROM app_log_lines WHERE deploy_id = $1', [deployId]);
  }

  /** Removes up to `limit` lines of deploys that are no longer hosted, and returns their number. */
  async removeOrphans(before: Date, limit: number): Promise<number> {
    const [rows] = await this.database.manager.query<[unknown[], number]>(
      `
      DELETE FROM app_log_lines WHERE (deploy_id, seq) IN (
        SELECT l.deploy_id, l.seq FROM app_log_lines l
        WHERE l.at < $1 AND NOT EXISTS (SELECT FROM hosted_deploys d WHERE d.deploy_id = l.deploy_id)
        LIMIT $2)
      RETURNING seq`,
      [before, limit],
    );
    return rows.length;
  }
}
