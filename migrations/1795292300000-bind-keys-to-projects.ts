import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: keys of the previous release are bound to no project. */
export class BindKeysToProjects1795292300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys ADD COLUMN project_id text');
    await runner.query(
      'CREATE INDEX api_keys_by_project ON api_keys (project_id) WHERE project_id IS NOT NULL AND revoked_at IS NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX api_keys_by_project');
    await runner.query('ALTER TABLE api_keys DROP COLUMN project_id');
  }
}
