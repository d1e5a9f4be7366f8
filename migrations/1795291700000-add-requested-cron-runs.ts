import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Expand only. A requested run counts as running from the start, so that the previous release skips a time that it
 * overlaps, and gives it up like any other.
 */
export class AddRequestedCronRuns1795291700000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE cron_runs
        ADD COLUMN is_manual    boolean NOT NULL DEFAULT false,
        ADD COLUMN requested_at timestamptz
    `);
    await runner.query(`
      CREATE INDEX cron_runs_requested ON cron_runs (requested_at)
        WHERE requested_at IS NOT NULL AND outcome = 'running'
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX cron_runs_requested');
    await runner.query('ALTER TABLE cron_runs DROP COLUMN is_manual, DROP COLUMN requested_at');
  }
}
