import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know these tables, and creates deploys without an upload. */
export class CreateUploads1795286000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE upload_stores (
        id         text        PRIMARY KEY CHECK (id LIKE 'ups_%'),
        org_id     text        NOT NULL REFERENCES organizations (id),
        project_id text        NOT NULL REFERENCES projects (id),
        created_at timestamptz NOT NULL,
        used_at    timestamptz NOT NULL,
        retired_at timestamptz
      )
    `);
    await runner.query(`
      CREATE UNIQUE INDEX upload_stores_current ON upload_stores (project_id) WHERE retired_at IS NULL
    `);
    await runner.query('CREATE INDEX upload_stores_org ON upload_stores (org_id)');
    await runner.query(`
      CREATE TABLE upload_blobs (
        store_id  text   NOT NULL REFERENCES upload_stores (id) ON DELETE CASCADE,
        sha256    text   NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
        bytes     bigint NOT NULL CHECK (bytes >= 0),
        object_id text,
        PRIMARY KEY (store_id, sha256)
      )
    `);
    await runner.query(`
      CREATE TABLE uploads (
        id         text        PRIMARY KEY CHECK (id LIKE 'upl_%'),
        store_id   text        NOT NULL REFERENCES upload_stores (id) ON DELETE CASCADE,
        org_id     text        NOT NULL REFERENCES organizations (id),
        project_id text        NOT NULL REFERENCES projects (id),
        files      json,
        file_count int         NOT NULL,
        bytes      bigint      NOT NULL,
        commit_sha text,
        created_by text        NOT NULL REFERENCES users (id),
        created_at timestamptz NOT NULL,
        CONSTRAINT uploads_files_until_committed CHECK ((files IS NULL) = (commit_sha IS NOT NULL))
      )
    `);
    await runner.query('CREATE INDEX uploads_project ON uploads (project_id, id)');
    await runner.query('CREATE INDEX uploads_store ON uploads (store_id)');
    await runner.query('CREATE INDEX uploads_age ON uploads (created_at)');
    await runner.query('ALTER TABLE deploys ADD COLUMN upload_id text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE deploys DROP COLUMN upload_id');
    for (const table of ['uploads', 'upload_blobs', 'upload_stores']) await runner.query(`DROP TABLE ${table}`);
  }
}
