import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Expand only: the previous release does not know these columns. It ends a restriction for the new reasons, and the new
 * release puts it in force again.
 */
export class BoundDisksOfDatabases1795293280000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE databases
        ADD COLUMN disk_bytes bigint NOT NULL DEFAULT 0 CHECK (disk_bytes >= 0),
        ADD COLUMN undrained_bytes bigint NOT NULL DEFAULT 0 CHECK (undrained_bytes >= 0),
        DROP CONSTRAINT databases_read_only_because_check,
        ADD CONSTRAINT databases_read_only_because_check
          CHECK (read_only_because IN ('quota', 'credits', 'archive', 'disk'))
    `);
    await runner.query(`
      ALTER TABLE database_archives
        ADD COLUMN stored_bytes bigint NOT NULL DEFAULT 0 CHECK (stored_bytes >= 0),
        ADD COLUMN base_wanted_at timestamptz
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE database_archives DROP COLUMN base_wanted_at, DROP COLUMN stored_bytes');
    await runner.query(
      "UPDATE databases SET read_only_because = 'quota' WHERE read_only_because IN ('archive', 'disk')",
    );
    await runner.query(`
      ALTER TABLE databases
        DROP CONSTRAINT databases_read_only_because_check,
        ADD CONSTRAINT databases_read_only_because_check CHECK (read_only_because IN ('quota', 'credits')),
        DROP COLUMN undrained_bytes,
        DROP COLUMN disk_bytes
    `);
  }
}
