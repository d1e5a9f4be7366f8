import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release writes executions without results and artifacts. */
export class CreateSandboxArtifacts1795299040000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sandbox_executions ADD COLUMN results json, ADD COLUMN artifacts json');
    // A row is written before its blob, so that no blob is ever without one. Its hash is written with the end of the
    // execution; without it, nobody sees the artifact. Nothing refers to the execution: artifacts live shorter.
    await runner.query(`
      CREATE TABLE sandbox_artifacts (
        id           text        PRIMARY KEY CHECK (id LIKE 'art_%'),
        org_id       text        NOT NULL REFERENCES organizations (id),
        execution_id text        NOT NULL,
        path         text        NOT NULL CHECK (length(path) BETWEEN 1 AND 500),
        size_bytes   bigint      NOT NULL CHECK (size_bytes >= 0),
        type         text        NOT NULL,
        sha256       text        CHECK (length(sha256) = 64),
        created_at   timestamptz NOT NULL,
        expires_at   timestamptz NOT NULL
      )
    `);
    await runner.query('CREATE INDEX sandbox_artifacts_by_execution ON sandbox_artifacts (execution_id)');
    await runner.query('CREATE INDEX sandbox_artifacts_by_org ON sandbox_artifacts (org_id)');
    await runner.query('CREATE INDEX sandbox_artifacts_by_expiry ON sandbox_artifacts (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE sandbox_artifacts');
    await runner.query('ALTER TABLE sandbox_executions DROP COLUMN results, DROP COLUMN artifacts');
  }
}
