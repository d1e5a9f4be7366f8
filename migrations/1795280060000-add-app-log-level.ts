import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release leaves the level null, and it then follows from the stream. */
export class AddAppLogLevel1795280060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE app_log_lines
        ADD COLUMN level text,
        ADD CONSTRAINT app_log_lines_level CHECK (level IN ('debug', 'info', 'warn', 'error', 'system'))
    `);
    await runner.query('CREATE INDEX hosted_deploys_by_project ON hosted_deploys (project_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX hosted_deploys_by_project');
    await runner.query('ALTER TABLE app_log_lines DROP COLUMN level');
  }
}
