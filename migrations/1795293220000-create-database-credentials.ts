import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know this table. */
export class CreateDatabaseCredentials1795293220000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE database_credentials (
        id           text        PRIMARY KEY CHECK (id LIKE 'dbc_%'),
        database_id  text        NOT NULL REFERENCES databases (id) ON DELETE CASCADE,
        name         text        NOT NULL,
        access       text        NOT NULL CHECK (access IN ('owner', 'reader')),
        username     text        NOT NULL UNIQUE,
        verifier     text        NOT NULL,
        created_by   text        NOT NULL REFERENCES users (id),
        created_at   timestamptz NOT NULL,
        expires_at   timestamptz,
        last_used_at timestamptz,
        CONSTRAINT database_credentials_username CHECK (starts_with(username, access || '_'))
      )
    `);
    await runner.query('CREATE INDEX database_credentials_by_database ON database_credentials (database_id, id)');
    await runner.query(`
      CREATE INDEX database_credentials_expiring ON database_credentials (expires_at) WHERE expires_at IS NOT NULL
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE database_credentials');
  }
}
