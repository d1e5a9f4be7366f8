import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know these tables and keeps working beside them. */
export class CreateFeatureFlags1795260000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE feature_flags (
        name       text        PRIMARY KEY,
        enabled    boolean     NOT NULL,
        version    integer     NOT NULL,
        updated_at timestamptz NOT NULL,
        updated_by text        NOT NULL
      )
    `);
    await runner.query(`
      CREATE TABLE feature_flag_changes (
        id         text        PRIMARY KEY CHECK (id LIKE 'aud_%'),
        name       text        NOT NULL,
        previous   boolean     NOT NULL,
        enabled    boolean     NOT NULL,
        reason     text,
        changed_at timestamptz NOT NULL,
        changed_by text        NOT NULL,
        request_id text        NOT NULL
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE feature_flag_changes');
    await runner.query('DROP TABLE feature_flags');
  }
}
