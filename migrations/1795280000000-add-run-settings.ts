import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know these columns, and leaves them null. */
export class AddRunSettings1795280000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE projects
        ADD COLUMN start_command text,
        ADD COLUMN health_path text,
        ADD COLUMN start_timeout_ms int,
        ADD COLUMN build_network text,
        ADD CONSTRAINT projects_start_timeout CHECK (start_timeout_ms BETWEEN 1000 AND 120000),
        ADD CONSTRAINT projects_build_network CHECK (build_network IN ('registries', 'open'))
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE projects
        DROP COLUMN start_command,
        DROP COLUMN health_path,
        DROP COLUMN start_timeout_ms,
        DROP COLUMN build_network
    `);
  }
}
