import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Uploads of the API that have become an object, so that a program whose answer was lost gets it when it asks again.
 * The object may be replaced and its bucket deleted meanwhile, so nothing refers to them.
 */
export class RememberCompletedUploads1795293265000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE completed_object_uploads (
        id           text        PRIMARY KEY,
        bucket_id    text        NOT NULL,
        key          text        COLLATE "C" NOT NULL,
        completed_at timestamptz NOT NULL
      )
    `);
    await runner.query('CREATE INDEX completed_object_uploads_by_age ON completed_object_uploads (completed_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE completed_object_uploads');
  }
}
