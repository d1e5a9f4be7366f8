import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know the column, and keeps working beside it. */
export class SandboxSessionPackages1795299070000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // What a session was asked to have. Null for one without packages.
    await runner.query('ALTER TABLE sandbox_sessions ADD COLUMN packages jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sandbox_sessions DROP COLUMN packages');
  }
}
