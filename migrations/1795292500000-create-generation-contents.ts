import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release keeps no texts. */
export class CreateGenerationContents1795292500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Texts of generations, for organizations that ask for it. They are sealed by SECRETS_KEY.
    await runner.query(`
      CREATE TABLE generation_contents (
        generation_id        text        PRIMARY KEY CHECK (generation_id LIKE 'gen_%'),
        org_id               text        NOT NULL REFERENCES organizations (id),
        request              bytea       NOT NULL,
        request_is_truncated boolean     NOT NULL,
        answer               bytea       NOT NULL,
        answer_is_truncated  boolean     NOT NULL,
        content_type         text        NOT NULL,
        created_at           timestamptz NOT NULL
      )
    `);
    // Sealed bytes cannot be compressed.
    for (const column of ['request', 'answer'])
      await runner.query(`ALTER TABLE generation_contents ALTER COLUMN ${column} SET STORAGE EXTERNAL`);
    await runner.query('CREATE INDEX generation_contents_by_age ON generation_contents (org_id, created_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE generation_contents');
  }
}
