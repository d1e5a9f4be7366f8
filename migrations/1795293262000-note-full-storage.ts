import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When an organization was last notified that its object storage is full. */
export class NoteFullStorage1795293262000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE storage_accounts ADD COLUMN full_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE storage_accounts DROP COLUMN full_at');
  }
}
