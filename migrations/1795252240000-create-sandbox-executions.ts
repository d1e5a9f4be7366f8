import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know this table and keeps working beside it. */
export class CreateSandboxExecutions1795252240000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // What a program prints may hold NUL, which neither text nor jsonb can: output is bytes, and its error is json. The
    // code itself, its files and its standard input are not kept.
    await runner.query(`
      CREATE TABLE sandbox_executions (
        id                text        PRIMARY KEY CHECK (id LIKE 'exe_%'),
        org_id            text        NOT NULL REFERENCES organizations (id),
        user_id           text        NOT NULL REFERENCES users (id),
        key_id            text,
        language          text        NOT NULL CHECK (language IN ('typescript', 'javascript', 'python')),
        status            text        NOT NULL,
        limits            jsonb       NOT NULL,
        stdout            bytea,
        stderr            bytea,
        truncated         jsonb,
        exit_code         int,
        signal            text,
        queue_ms          int,
        duration_ms       double precision,
        cpu_ms            double precision,
        memory_peak_bytes bigint,
        runtime           jsonb,
        error             json,
        created_at        timestamptz NOT NULL,
        started_at        timestamptz,
        finished_at       timestamptz,
        gives_up_at       timestamptz NOT NULL,
        CONSTRAINT sandbox_executions_status CHECK (status IN (
          'queued', 'running',
          'succeeded', 'failed', 'timed_out', 'out_of_memory', 'output_limit', 'cancelled', 'lost'
        )),
        CONSTRAINT sandbox_executions_started_unless_queued
          CHECK (status IN ('cancelled', 'lost') OR (started_at IS NULL) = (status = 'queued')),
        CONSTRAINT sandbox_executions_finished_when_over
          CHECK ((finished_at IS NULL) = (status IN ('queued', 'running'))),
        CONSTRAINT sandbox_executions_outcome_when_run CHECK (
          num_nonnulls(stdout, stderr, truncated, duration_ms, cpu_ms, memory_peak_bytes, runtime) =
          CASE WHEN status IN ('succeeded', 'failed', 'timed_out', 'out_of_memory', 'output_limit') THEN 7 ELSE 0 END
        )
      )
    `);
    await runner.query('CREATE INDEX sandbox_executions_by_org ON sandbox_executions (org_id, id DESC)');
    // For the two sweeps: what was lost with its worker, and what is too old to be kept.
    await runner.query(
      "CREATE INDEX sandbox_executions_live ON sandbox_executions (gives_up_at) WHERE status IN ('queued', 'running')",
    );
    await runner.query('CREATE INDEX sandbox_executions_by_age ON sandbox_executions (created_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE sandbox_executions');
  }
}
