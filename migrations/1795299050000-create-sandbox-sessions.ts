import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know the table and the columns, and keeps working beside them. */
export class CreateSandboxSessions1795299050000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Variables, files and the environment of a session are only with its worker.
    await runner.query(`
      CREATE TABLE sandbox_sessions (
        id                   text        PRIMARY KEY CHECK (id LIKE 'sbx_%'),
        org_id               text        NOT NULL REFERENCES organizations (id),
        user_id              text        NOT NULL REFERENCES users (id),
        key_id               text,
        name                 text,
        language             text        NOT NULL CHECK (language IN ('typescript', 'javascript', 'python')),
        status               text        NOT NULL
          CHECK (status IN ('starting', 'awake', 'frozen', 'ended', 'lost')),
        end_reason           text,
        limits               jsonb       NOT NULL,
        idle_timeout_seconds int         NOT NULL,
        worker_id            text,
        created_at           timestamptz NOT NULL,
        last_used_at         timestamptz NOT NULL,
        expires_at           timestamptz NOT NULL,
        ended_at             timestamptz,
        alive_until          timestamptz NOT NULL,
        CONSTRAINT sandbox_sessions_ended_with_reason CHECK (
          (ended_at IS NOT NULL) = (status IN ('ended', 'lost')) AND (end_reason IS NOT NULL) = (ended_at IS NOT NULL)
        ),
        CONSTRAINT sandbox_sessions_with_worker
          CHECK (status NOT IN ('awake', 'frozen') OR worker_id IS NOT NULL)
      )
    `);
    await runner.query('CREATE INDEX sandbox_sessions_by_org ON sandbox_sessions (org_id, id DESC)');
    await runner.query(
      `CREATE INDEX sandbox_sessions_live ON sandbox_sessions (alive_until)
         WHERE status IN ('starting', 'awake', 'frozen')`,
    );
    await runner.query('CREATE INDEX sandbox_sessions_by_age ON sandbox_sessions (created_at)');
    await runner.query('ALTER TABLE sandbox_executions ADD COLUMN session_id text, ADD COLUMN state_lost boolean');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sandbox_executions DROP COLUMN state_lost, DROP COLUMN session_id');
    await runner.query('DROP TABLE sandbox_sessions');
  }
}
