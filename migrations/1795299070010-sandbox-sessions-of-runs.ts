import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know the column, and keeps working beside it. */
export class SandboxSessionsOfRuns1795299070010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sandbox_sessions ADD COLUMN run_id text');
    // A run of an agent has one session for each language at a time.
    await runner.query(
      `CREATE UNIQUE INDEX sandbox_sessions_by_run ON sandbox_sessions (run_id, language)
         WHERE status IN ('starting', 'awake', 'frozen')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX sandbox_sessions_by_run');
    await runner.query('ALTER TABLE sandbox_sessions DROP COLUMN run_id');
  }
}
