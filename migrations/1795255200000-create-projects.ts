import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know these tables and keeps working beside them. */
export class CreateProjects1795255200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE projects (
        id                text        PRIMARY KEY CHECK (id LIKE 'prj_%'),
        org_id            text        NOT NULL REFERENCES organizations (id),
        name              text        NOT NULL,
        slug              text        NOT NULL,
        repo_url          text,
        framework         text,
        root_directory    text,
        install_command   text,
        build_command     text,
        output_directory  text,
        node_version      text,
        production_branch text        NOT NULL,
        created_at        timestamptz NOT NULL,
        updated_at        timestamptz NOT NULL,
        deleted_at        timestamptz,
        CONSTRAINT projects_name_length CHECK (length(name) BETWEEN 1 AND 100),
        CONSTRAINT projects_slug_form CHECK (slug ~ '^[a-z0-9](-?[a-z0-9])*$' AND length(slug) <= 63),
        CONSTRAINT projects_repo_url_form CHECK (repo_url ~ '^https?://' AND length(repo_url) <= 2000)
      )
    `);
    // One that is deleted gives its slug free.
    await runner.query('CREATE UNIQUE INDEX projects_slug_unique ON projects (org_id, slug) WHERE deleted_at IS NULL');
    await runner.query('CREATE INDEX projects_by_org ON projects (org_id, id DESC) WHERE deleted_at IS NULL');
    // Values are sealed, those that are no secrets too (docs/decisions/0021-projects.md).
    await runner.query(`
      CREATE TABLE project_env (
        project_id text        NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
        target     text        NOT NULL,
        name       text        NOT NULL,
        value      bytea       NOT NULL,
        is_secret  boolean     NOT NULL,
        updated_at timestamptz NOT NULL,
        updated_by text        NOT NULL REFERENCES users (id),
        PRIMARY KEY (project_id, target, name),
        CONSTRAINT project_env_target CHECK (target IN ('production', 'preview', 'development')),
        CONSTRAINT project_env_name CHECK (name ~ '^[A-Za-z_][A-Za-z0-9_]{0,127}$')
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE project_env');
    await runner.query('DROP TABLE projects');
  }
}
