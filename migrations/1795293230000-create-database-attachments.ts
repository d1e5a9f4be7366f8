import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know these tables. */
export class CreateDatabaseAttachments1795293230000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE database_attachments (
        database_id text        NOT NULL REFERENCES databases (id) ON DELETE CASCADE,
        project_id  text        NOT NULL REFERENCES projects (id),
        prefix      text        NOT NULL CHECK (prefix ~ '^[A-Z][A-Z0-9_]{0,31}$'),
        targets     text[]      NOT NULL CHECK (targets <@ ARRAY['production', 'preview'] AND cardinality(targets) > 0),
        previews    text        NOT NULL CHECK (previews IN ('same', 'branch', 'none')),
        access      text        NOT NULL CHECK (access IN ('owner', 'reader')),
        created_by  text        NOT NULL REFERENCES users (id),
        created_at  timestamptz NOT NULL,
        updated_at  timestamptz NOT NULL,
        PRIMARY KEY (database_id, project_id)
      )
    `);
    await runner.query('CREATE INDEX database_attachments_by_project ON database_attachments (project_id)');
    await runner.query(`
      CREATE TABLE database_preview_branches (
        parent_id   text        NOT NULL REFERENCES databases (id) ON DELETE CASCADE,
        project_id  text        NOT NULL REFERENCES projects (id),
        branch      text        NOT NULL,
        database_id text        NOT NULL UNIQUE REFERENCES databases (id) ON DELETE CASCADE,
        used_at     timestamptz NOT NULL,
        PRIMARY KEY (parent_id, project_id, branch)
      )
    `);
    await runner.query('CREATE INDEX database_preview_branches_by_project ON database_preview_branches (project_id)');
    await runner.query('CREATE INDEX database_preview_branches_by_use ON database_preview_branches (used_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE database_preview_branches');
    await runner.query('DROP TABLE database_attachments');
  }
}
