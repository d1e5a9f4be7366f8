import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release begins no work that is paid for elsewhere. */
export class CountWorkPaidElsewhere1795292410000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // What budgets count of work that the organization pays for elsewhere. Nothing is held or charged for it.
    await runner.query(`
      ALTER TABLE holds
        ADD COLUMN counted_nano bigint,
        ADD CONSTRAINT holds_counted
          CHECK (counted_nano IS NULL OR (counted_nano >= 0 AND amount_nano = 0 AND coalesce(cost_nano, 0) = 0))
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE holds DROP COLUMN counted_nano');
  }
}
