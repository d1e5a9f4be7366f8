import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know this table, and starts no deploys of the new trigger. */
export class CreateDeployHooks1795284000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE deploy_hooks (
        id              text        PRIMARY KEY CHECK (id LIKE 'dhk_%'),
        org_id          text        NOT NULL REFERENCES organizations (id),
        project_id      text        NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
        name            text        NOT NULL,
        branch          text        NOT NULL,
        production      boolean     NOT NULL,
        secret_hash     bytea       NOT NULL,
        pepper_version  int         NOT NULL,
        created_by      text        NOT NULL REFERENCES users (id),
        created_at      timestamptz NOT NULL,
        last_used_at    timestamptz,
        CONSTRAINT deploy_hooks_branch_length CHECK (octet_length(branch) BETWEEN 1 AND 255),
        CONSTRAINT deploy_hooks_secret_hash_form CHECK (octet_length(secret_hash) = 32)
      )
    `);
    await runner.query('CREATE INDEX deploy_hooks_by_project ON deploy_hooks (project_id, id)');
    await runner.query('ALTER TABLE deploys DROP CONSTRAINT deploys_trigger');
    await runner.query(
      "ALTER TABLE deploys ADD CONSTRAINT deploys_trigger CHECK (trigger IN ('api', 'push', 'hook')) NOT VALID",
    );
    await runner.query('ALTER TABLE deploys VALIDATE CONSTRAINT deploys_trigger');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("UPDATE deploys SET trigger = 'api' WHERE trigger = 'hook'");
    await runner.query('ALTER TABLE deploys DROP CONSTRAINT deploys_trigger');
    await runner.query("ALTER TABLE deploys ADD CONSTRAINT deploys_trigger CHECK (trigger IN ('api', 'push'))");
    await runner.query('DROP TABLE deploy_hooks');
  }
}
