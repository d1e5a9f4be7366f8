import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release requires no second factor anywhere. */
export class RequireSecondFactors1795293470000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE organizations
        ADD COLUMN second_factor_required boolean NOT NULL DEFAULT false,
        ADD CONSTRAINT organizations_personal_second_factor CHECK (personal_of IS NULL OR NOT second_factor_required)
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE organizations DROP COLUMN second_factor_required');
  }
}
