import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know the column, and keeps working beside it. */
export class SandboxSessionNetworks1795299090000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The hosts that a session may connect to. Null for one without a network.
    await runner.query('ALTER TABLE sandbox_sessions ADD COLUMN allowed_hosts jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sandbox_sessions DROP COLUMN allowed_hosts');
  }
}
