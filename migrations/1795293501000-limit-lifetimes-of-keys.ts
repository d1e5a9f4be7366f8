import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release limits no lifetime. */
export class LimitLifetimesOfKeys1795293501000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE organizations
        ADD COLUMN key_lifetime_days integer,
        ADD CONSTRAINT organizations_key_lifetime CHECK (key_lifetime_days BETWEEN 1 AND 3650)
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE organizations DROP COLUMN key_lifetime_days');
  }
}
