import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: all prices so far are in the standard book, and so are those that the previous release adds. */
export class AddPriceBooks1795292600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE price_versions
        ADD COLUMN book text NOT NULL DEFAULT 'standard',
        DROP CONSTRAINT price_versions_one_at_a_time,
        ADD CONSTRAINT price_versions_one_at_a_time UNIQUE (book, meter, model, effective_from)
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE price_versions
        DROP CONSTRAINT price_versions_one_at_a_time,
        ADD CONSTRAINT price_versions_one_at_a_time UNIQUE (meter, model, effective_from),
        DROP COLUMN book
    `);
  }
}
