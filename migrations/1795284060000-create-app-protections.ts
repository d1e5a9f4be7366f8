import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know this table, and nothing is protected before it is used. */
export class CreateAppProtections1795284060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // No reference to projects, like the other tables of hosting. The row is removed when the project is.
    await runner.query(`
      CREATE TABLE app_protections (
        project_id    text        PRIMARY KEY,
        previews      text        NOT NULL CHECK (previews IN ('none', 'members', 'password')),
        production    text        NOT NULL CHECK (production IN ('none', 'members', 'password')),
        password_hash text,
        version       int         NOT NULL,
        updated_at    timestamptz NOT NULL,
        CONSTRAINT app_protections_password_is_set
          CHECK (password_hash IS NOT NULL OR (previews <> 'password' AND production <> 'password'))
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE app_protections');
  }
}
