import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know this table and keeps working beside it. */
export class CreateSandboxPackageLocks1795299060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE sandbox_package_locks (
        id         text        PRIMARY KEY CHECK (id ~ '^[0-9a-f]{64}$'),
        org_id     text        REFERENCES organizations (id) ON DELETE CASCADE,
        ecosystem  text        NOT NULL CHECK (ecosystem IN ('npm', 'pip')),
        runtime    text        NOT NULL,
        lock       text        NOT NULL CHECK (octet_length(lock) <= 1048576),
        created_at timestamptz NOT NULL,
        used_at    timestamptz NOT NULL
      )
    `);
    await runner.query('CREATE INDEX sandbox_package_locks_by_org ON sandbox_package_locks (org_id, used_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE sandbox_package_locks');
  }
}
