import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only. The previous release lists backups of the new state, and deletes them as it deletes failed ones. */
export class ExpireDatabaseBackups1795298000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE database_backups
        DROP CONSTRAINT database_backups_state_check,
        ADD CONSTRAINT database_backups_state_check CHECK (state IN ('pending', 'ready', 'failed', 'expired'))
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("DELETE FROM database_backups WHERE state = 'expired'");
    await runner.query(`
      ALTER TABLE database_backups
        DROP CONSTRAINT database_backups_state_check,
        ADD CONSTRAINT database_backups_state_check CHECK (state IN ('pending', 'ready', 'failed'))
    `);
  }
}
