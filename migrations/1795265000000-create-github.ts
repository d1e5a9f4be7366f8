import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Expand only: the previous release takes every repository for one of the service, and there are no others until this
 * one makes some.
 */
export class CreateGithub1795265000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // An installation belongs to one organization: what it lets see is not for two.
    await runner.query(`
      CREATE TABLE github_installations (
        id              text        PRIMARY KEY CHECK (id LIKE 'ghi_%'),
        org_id          text        NOT NULL REFERENCES organizations (id),
        installation_id bigint      NOT NULL,
        account_id      bigint      NOT NULL,
        account         text        NOT NULL,
        account_type    text        NOT NULL,
        connected_by    text        NOT NULL,
        suspended_at    timestamptz,
        created_at      timestamptz NOT NULL,
        CONSTRAINT github_installations_number_unique UNIQUE (installation_id)
      )
    `);
    await runner.query('CREATE INDEX github_installations_by_org ON github_installations (org_id)');
    // What somebody has begun and not finished; taken away by being used.
    await runner.query(`
      CREATE TABLE github_link_states (
        id         text        PRIMARY KEY CHECK (id LIKE 'ghs_%'),
        org_id     text        NOT NULL REFERENCES organizations (id),
        user_id    text        NOT NULL,
        expires_at timestamptz NOT NULL
      )
    `);
    await runner.query('CREATE INDEX github_link_states_by_end ON github_link_states (expires_at)');
    // What GitHub has told, by its own id: it may tell a thing twice.
    await runner.query('CREATE TABLE github_deliveries (id text PRIMARY KEY, received_at timestamptz NOT NULL)');
    await runner.query('CREATE INDEX github_deliveries_by_age ON github_deliveries (received_at)');
    await runner.query(`
      ALTER TABLE repositories
        ADD COLUMN provider  text NOT NULL DEFAULT 'service',
        ADD COLUMN remote_id bigint,
        ADD COLUMN clone_url text,
        ADD CONSTRAINT repositories_provider CHECK (provider IN ('service', 'github')),
        ADD CONSTRAINT repositories_remote CHECK (provider = 'github' OR (remote_id IS NULL AND clone_url IS NULL))
    `);
    await runner.query(
      `CREATE INDEX repositories_by_remote ON repositories (remote_id) WHERE remote_id IS NOT NULL
        AND deleted_at IS NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("DELETE FROM repositories WHERE provider <> 'service'");
    await runner.query('ALTER TABLE repositories DROP COLUMN provider, DROP COLUMN remote_id, DROP COLUMN clone_url');
    await runner.query('DROP TABLE github_deliveries');
    await runner.query('DROP TABLE github_link_states');
    await runner.query('DROP TABLE github_installations');
  }
}
