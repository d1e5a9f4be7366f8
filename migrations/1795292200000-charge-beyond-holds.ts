import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Some work is charged for more than was held for it, as far as there is room. */
export class ChargeBeyondHolds1795292200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE holds
        -- Who pays what the work costs beyond its hold; the platform, when it is null.
        ADD COLUMN beyond text CONSTRAINT holds_beyond CHECK (beyond IN ('credits', 'invoice')),
        DROP CONSTRAINT holds_sum,
        ADD CONSTRAINT holds_sum CHECK (CASE
          WHEN state = 'held' THEN credit_nano + billed_nano = amount_nano
          WHEN cost_nano IS NULL THEN credit_nano + billed_nano = 0
          ELSE credit_nano + billed_nano + lost_nano + refunded_nano = cost_nano
            AND (beyond IS NOT NULL OR credit_nano + billed_nano + refunded_nano <= amount_nano)
        END) NOT VALID
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE holds
        DROP CONSTRAINT holds_sum,
        ADD CONSTRAINT holds_sum CHECK (CASE
          WHEN state = 'held' THEN credit_nano + billed_nano = amount_nano
          WHEN cost_nano IS NULL THEN credit_nano + billed_nano = 0
          ELSE credit_nano + billed_nano + lost_nano + refunded_nano = cost_nano
            AND credit_nano + billed_nano + refunded_nano <= amount_nano
        END) NOT VALID,
        DROP COLUMN beyond
    `);
  }
}
