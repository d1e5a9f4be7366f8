import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { DURATION_BUCKETS } from '../metrics/durations.js';

/** What happened to a deploy in a minute or, when it is read, in a step. */
interface AppCounts {
  readonly requests: number;
  readonly errors: number;
  readonly bytes: number;
  readonly restarts: number;
  readonly memoryPeakBytes: number;
  /** Requests by duration, see `durations.ts`. */
  readonly durations: readonly number[];
}

export interface AppMinute extends AppCounts {
  readonly deployId: string;
  readonly minute: Date;
}

export interface AppStep extends AppCounts {
  readonly at: Date;
}

export interface AppMetricsRequest {
  readonly projectId: string;
  /** Undefined for all deploys of the project. */
  readonly deployId: string | undefined;
  readonly from: Date;
  readonly to: Date;
  readonly stepSeconds: number;
}

const COLUMNS = Array.from({ length: DURATION_BUCKETS }, (_, place) => `d${place}`);
const SUMMED = ['requests', 'errors', 'bytes', 'restarts', ...COLUMNS];

@Injectable()
export class AppMetricsStore {
  constructor(private readonly database: Database) {}

  /** Adds counts to those of the same minute. Deploys that are no longer hosted are left out. */
  async add(minutes: readonly AppMinute[]): Promise<void> {
    const records = minutes.map(
      ({ deployId, minute, requests, errors, bytes, restarts, memoryPeakBytes, durations }) => ({
        deploy_id: deployId,
        minute,
        requests,
        errors,
        bytes,
        restarts,
        memory_peak_bytes: memoryPeakBytes,
        ...Object.fromEntries(COLUMNS.map((column, place) => [column, durations[place]])),
      }),
    );
    await this.database.manager.query(
      `
      INSERT INTO app_metrics (project_id, deploy_id, minute, memory_peak_bytes, ${SUMMED.join(', ')})
      SELECT d.project_id, m.deploy_id, m.minute, m.memory_peak_bytes, ${SUMMED.map((name) => `m.${name}`).join(', ')}
      FROM jsonb_to_recordset($1::jsonb) AS m (
        deploy_id text, minute timestamptz, memory_peak_bytes bigint,
        ${SUMMED.map((name) => `${name} bigint`).join(', ')})
      JOIN hosted_deploys d ON d.deploy_id = m.deploy_id
      ORDER BY 1, 3, 2
      ON CONFLICT (project_id, minute, deploy_id) DO UPDATE SET
        memory_peak_bytes = greatest(app_metrics.memory_peak_bytes, excluded.memory_peak_bytes),
        ${SUMMED.map((name) => `${name} = app_metrics.${name} + excluded.${name}`).join(', ')}`,
      [JSON.stringify(records)],
    );
  }

  /** Returns the steps in which something happened, in order. */
  async read({ projectId, deployId, from, to, stepSeconds }: AppMetricsRequest): Promise<AppStep[]> {
    const rows = await this.database.manager.query<(Record<string, string> & { at: Date })[]>(
      `
      SELECT date_bin($5 * interval '1 second', minute, $3::timestamptz) AS at,
        max(memory_peak_bytes) AS memory_peak_bytes, ${SUMMED.map((name) => `sum(${name}) AS ${name}`).join(', ')}
      FROM app_metrics
      WHERE project_id = $1 AND minute >= $3 AND minute < $4 AND ($2::text IS NULL OR deploy_id = $2)
      GROUP BY 1 ORDER BY 1`,
      [projectId, deployId ?? null, from, to, stepSeconds],
    );
    return rows.map((row) => ({
      at: row.at,
      requests: Number(row['requests']),
      errors: Number(row['errors']),
      bytes: Number(row['bytes']),
      restarts: Number(row['restarts']),
      memoryPeakBytes: Number(row['memory_peak_bytes']),
      durations: COLUMNS.map((column) => Number(row[column])),
    }));
  }

  /** Removes up to `limit` rows of earlier minutes, and returns their number. */
  async removeBefore(before: Date, limit: number): Promise<number> {
    const [rows] = await this.database.manager.query<[unknown[], number]>(
      `
      DELETE FROM app_metrics WHERE (project_id, minute, deploy_id) IN (
        SELECT project_id, minute, deploy_id FROM app_metrics WHERE minute < $1 LIMIT $2)
      RETURNING minute`,
      [before, limit],
    );
    return rows.length;
  }
}
