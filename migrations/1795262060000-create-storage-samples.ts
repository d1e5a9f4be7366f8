import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know this table and keeps working beside it. */
export class CreateStorageSamples1795262060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The last hour of which something that is kept was recorded, and how large it was then.
    await runner.query(`
      CREATE TABLE storage_samples (
        source text        NOT NULL,
        name   text        NOT NULL,
        hour   timestamptz NOT NULL,
        bytes  bigint      NOT NULL,
        PRIMARY KEY (source, name),
        CONSTRAINT storage_samples_bytes CHECK (bytes >= 0)
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE storage_samples');
  }
}
