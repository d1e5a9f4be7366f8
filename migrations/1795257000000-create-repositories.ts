import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know these tables and keeps working beside them. */
export class CreateRepositories1795257000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE repositories (
        id              text        PRIMARY KEY CHECK (id LIKE 'repo_%'),
        org_id          text        NOT NULL REFERENCES organizations (id),
        name            text        NOT NULL,
        template        text,
        default_branch  text        NOT NULL,
        size_bytes      bigint      NOT NULL,
        created_at      timestamptz NOT NULL,
        provisioned_at  timestamptz,
        push_begun_at   timestamptz,
        pushed_by       text,
        pushes_since_gc integer     NOT NULL,
        deleted_at      timestamptz,
        removed_at      timestamptz,
        CONSTRAINT repositories_name_form CHECK (name ~ '^[A-Za-z0-9_][A-Za-z0-9._-]*$' AND length(name) <= 100),
        CONSTRAINT repositories_size CHECK (size_bytes >= 0),
        CONSTRAINT repositories_removed_when_deleted CHECK (removed_at IS NULL OR deleted_at IS NOT NULL)
      )
    `);
    // Names that differ in case alone would be one to many a file system. One that is deleted gives its name free.
    await runner.query(
      'CREATE UNIQUE INDEX repositories_name_unique ON repositories (org_id, lower(name)) WHERE deleted_at IS NULL',
    );
    await runner.query('CREATE INDEX repositories_by_org ON repositories (org_id, id DESC) WHERE deleted_at IS NULL');
    await runner.query(
      `CREATE INDEX repositories_to_remove ON repositories (deleted_at) WHERE deleted_at IS NOT NULL
        AND removed_at IS NULL`,
    );
    await runner.query(
      'CREATE INDEX repositories_pushing ON repositories (push_begun_at) WHERE push_begun_at IS NOT NULL',
    );
    // What was last seen of each branch; what differs from it has been pushed since.
    await runner.query(`
      CREATE TABLE repository_branches (
        repository_id text NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
        name          text NOT NULL,
        commit_sha    text NOT NULL,
        PRIMARY KEY (repository_id, name),
        CONSTRAINT repository_branches_commit_sha CHECK (commit_sha ~ '^[0-9a-f]{40}([0-9a-f]{24})?$')
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE repository_branches');
    await runner.query('DROP TABLE repositories');
  }
}
