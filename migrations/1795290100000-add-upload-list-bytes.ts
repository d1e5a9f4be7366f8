import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release adds nothing to the column, and counts content only. */
export class AddUploadListBytes1795290100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE upload_stores ADD COLUMN list_bytes bigint NOT NULL DEFAULT 0 CHECK (list_bytes >= 0)
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE upload_stores DROP COLUMN list_bytes');
  }
}
