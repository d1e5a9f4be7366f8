import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { OpsTaskStatus, Severity } from '../domain/ops-task-status.js';

/** A fault to be stored; `id` and `eventId` are used when it is new. */
export interface FiringRow {
  readonly id: string;
  readonly eventId: string;
  readonly dedupKey: string;
  readonly title: string;
  readonly runbookTag: string;
  readonly severity: Severity;
  readonly source: string;
  readonly description: string | null;
  readonly url: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: Date;
}

export interface EndRow {
  readonly eventId: string;
  readonly dedupKey: string;
  readonly endsAt: Date;
}

export interface TouchedTask {
  readonly id: string;
  readonly status: OpsTaskStatus;
  readonly runbookTag: string;
  readonly dedupKey: string;
  readonly created: boolean;
}

const COLUMNS = `id text, "eventId" text, "dedupKey" text, title text, "runbookTag" text, severity text,
  source text, description text, url text, labels jsonb, annotations jsonb, "startsAt" timestamptz`;

/**
 * Stores sets of reports in one statement each, so that a megabyte of alerts is stored within the second that its
 * sender waits.
 */
@Injectable()
export class OpsAlertsStore {
  constructor(private readonly database: Database) {}

  /** Serializes bodies: two bodies with the same faults in different orders would otherwise deadlock. */
  async lock(): Promise<void> {
    await this.database.manager.query("SELECT pg_advisory_xact_lock(hashtext('ops_alerts'))");
  }

  /**
   * Opens a task for each new fault, and counts another report for the others. A late report of a fault whose
   * resolution was already reported is ignored. No two rows may have the same key.
   */
  async fire(rows: readonly FiringRow[], now: Date): Promise<TouchedTask[]> {
    if (rows.length === 0) return [];
    return this.database.manager.query<TouchedTask[]>(
      `
      WITH report AS (
        SELECT * FROM jsonb_to_recordset($1::jsonb) AS report (${COLUMNS})
        WHERE NOT EXISTS (
          SELECT FROM ops_tasks over
          WHERE over.dedup_key = report."dedupKey" AND over.status = 'resolved' AND over.resolved_by = 'alert'
            AND over.starts_at >= report."startsAt"
        )
      ), touched AS (
        INSERT INTO ops_tasks (id, dedup_key, title, runbook_tag, severity, status, source, description, url, labels,
                               annotations, starts_at, last_seen_at, occurrences, created_at, updated_at)
        SELECT id, "dedupKey", title, "runbookTag", severity, 'open', source, description, url, labels,
               annotations, "startsAt", $2, 1, $2, $2
        FROM report ORDER BY "dedupKey"
        ON CONFLICT (dedup_key) WHERE status <> 'resolved' DO UPDATE
        SET title = EXCLUDED.title, runbook_tag = EXCLUDED.runbook_tag, severity = EXCLUDED.severity,
            description = EXCLUDED.description, url = EXCLUDED.url, labels = EXCLUDED.labels,
            annotations = EXCLUDED.annotations, last_seen_at = EXCLUDED.last_seen_at,
            occurrences = ops_tasks.occurrences + 1, updated_at = EXCLUDED.updated_at
        RETURNING id, status, runbook_tag AS "runbookTag", dedup_key AS "dedupKey"
      ), events AS (
        INSERT INTO ops_task_events (id, task_id, kind, actor, details, at)
        SELECT report."eventId", touched.id, 'opened', 'alert', jsonb_build_object('startsAt', report."startsAt"), $2
        FROM touched JOIN report ON report.id = touched.id
      )
      SELECT touched.*, EXISTS (SELECT FROM report WHERE report.id = touched.id) AS created FROM touched`,
      [JSON.stringify(rows), now],
    );
  }

  /**
   * Resolves the tasks of faults that have ended. A resolution from before the fault began belongs to an earlier fault
   * and is ignored.
   */
  async end(rows: readonly EndRow[], now: Date): Promise<TouchedTask[]> {
    if (rows.length === 0) return [];
    return this.database.manager.query<TouchedTask[]>(
      `
      WITH report AS (
        SELECT * FROM jsonb_to_recordset($1::jsonb) AS report ("eventId" text, "dedupKey" text, "endsAt" timestamptz)
      ), own AS (
        SELECT task.id, report."endsAt", report."eventId"
        FROM ops_tasks task JOIN report ON report."dedupKey" = task.dedup_key
        WHERE task.status <> 'resolved' AND task.starts_at <= report."endsAt"
        ORDER BY task.dedup_key FOR UPDATE OF task
      ), touched AS (
        UPDATE ops_tasks task
        SET status = 'resolved', ends_at = own."endsAt", resolved_at = $2, resolved_by = 'alert',
            resolution = 'The alert has ended.', claimed_by = NULL, claim_expires_at = NULL, updated_at = $2
        FROM own WHERE task.id = own.id
        RETURNING task.id, task.status, task.runbook_tag AS "runbookTag", task.dedup_key AS "dedupKey",
                  own."eventId", own."endsAt"
      ), events AS (
        INSERT INTO ops_task_events (id, task_id, kind, actor, details, at)
        SELECT "eventId", id, 'resolved', 'alert', jsonb_build_object('endsAt', "endsAt"), $2 FROM touched
      )
      SELECT id, status, "runbookTag", "dedupKey", false AS created FROM touched`,
      [JSON.stringify(rows), now],
    );
  }
}
