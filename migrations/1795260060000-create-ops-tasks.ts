import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know these tables and keeps working beside them. */
export class CreateOpsTasks1795260060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE ops_tasks (
        id               text        PRIMARY KEY CHECK (id LIKE 'tsk_%'),
        dedup_key        text        NOT NULL,
        title            text        NOT NULL,
        runbook_tag      text        NOT NULL,
        severity         text        NOT NULL,
        status           text        NOT NULL,
        source           text        NOT NULL,
        description      text,
        url              text,
        labels           jsonb       NOT NULL,
        annotations      jsonb       NOT NULL,
        starts_at        timestamptz NOT NULL,
        ends_at          timestamptz,
        last_seen_at     timestamptz NOT NULL,
        occurrences      integer     NOT NULL,
        claimed_by       text,
        claim_expires_at timestamptz,
        silenced_until   timestamptz,
        resolved_at      timestamptz,
        resolved_by      text,
        resolution       text,
        created_at       timestamptz NOT NULL,
        updated_at       timestamptz NOT NULL,
        CONSTRAINT ops_tasks_status CHECK (status IN ('open', 'claimed', 'resolved')),
        CONSTRAINT ops_tasks_severity CHECK (severity IN ('critical', 'warning', 'info')),
        CONSTRAINT ops_tasks_claim
          CHECK ((status = 'claimed') = (claimed_by IS NOT NULL) AND (claimed_by IS NULL) = (claim_expires_at IS NULL)),
        CONSTRAINT ops_tasks_end CHECK ((status = 'resolved') = (resolved_at IS NOT NULL))
      )
    `);
    // One fault has one task until that is resolved, however many report it at once.
    await runner.query(
      "CREATE UNIQUE INDEX ops_tasks_open_dedup_key ON ops_tasks (dedup_key) WHERE status <> 'resolved'",
    );
    await runner.query('CREATE INDEX ops_tasks_by_dedup_key ON ops_tasks (dedup_key, starts_at)');
    await runner.query("CREATE INDEX ops_tasks_unresolved ON ops_tasks (status, id DESC) WHERE status <> 'resolved'");
    await runner.query('CREATE INDEX ops_tasks_resolved ON ops_tasks (resolved_at) WHERE resolved_at IS NOT NULL');
    await runner.query(`
      CREATE TABLE ops_task_events (
        id      text        PRIMARY KEY CHECK (id LIKE 'tev_%'),
        task_id text        NOT NULL REFERENCES ops_tasks (id) ON DELETE CASCADE,
        kind    text        NOT NULL,
        actor   text        NOT NULL,
        details jsonb       NOT NULL,
        at      timestamptz NOT NULL
      )
    `);
    await runner.query('CREATE INDEX ops_task_events_by_task ON ops_task_events (task_id, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE ops_task_events');
    await runner.query('DROP TABLE ops_tasks');
  }
}
