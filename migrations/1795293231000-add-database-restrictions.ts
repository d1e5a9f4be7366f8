import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Expand only. `restriction` is what its host has put in force in the cluster `restricted_cluster_id`, and `overrides`
 * how often sessions went on writing beyond the quota.
 */
export class AddDatabaseRestrictions1795293231000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE databases
        ADD COLUMN restriction text CHECK (restriction IN ('none', 'read_only', 'reader_only')),
        ADD COLUMN restricted_cluster_id text,
        ADD COLUMN overrides int NOT NULL DEFAULT 0 CHECK (overrides >= 0)
    `);
    await runner.query('CREATE INDEX databases_deleted ON databases (deleted_at) WHERE deleted_at IS NOT NULL');
    await runner.query(
      'CREATE INDEX database_operations_ended ON database_operations (finished_at) WHERE finished_at IS NOT NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX database_operations_ended');
    await runner.query('DROP INDEX databases_deleted');
    await runner.query(
      'ALTER TABLE databases DROP COLUMN overrides, DROP COLUMN restricted_cluster_id, DROP COLUMN restriction',
    );
  }
}
