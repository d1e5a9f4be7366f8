import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know these tables and keeps working beside them. */
export class CreateScim1795299030000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // It outlives the SCIM user: somebody whom the provider has removed does not come back by signing in.
    await runner.query(`
      CREATE TABLE sso_provisioned_people (
        connection_id text        NOT NULL REFERENCES sso_connections (id) ON DELETE CASCADE,
        user_id       text        NOT NULL REFERENCES users (id),
        suspended     boolean     NOT NULL,
        changed_at    timestamptz NOT NULL,
        PRIMARY KEY (connection_id, user_id)
      )
    `);
    await runner.query(`
      CREATE TABLE scim_tokens (
        id             text        PRIMARY KEY CHECK (id LIKE 'sct_%'),
        connection_id  text        NOT NULL REFERENCES sso_connections (id) ON DELETE CASCADE,
        name           text        NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
        token_hash     bytea       NOT NULL,
        pepper_version int         NOT NULL,
        last4          text        NOT NULL CHECK (length(last4) = 4),
        created_by     text        NOT NULL REFERENCES users (id),
        created_at     timestamptz NOT NULL,
        expires_at     timestamptz NOT NULL,
        revoked_at     timestamptz,
        last_used_at   timestamptz,
        CONSTRAINT scim_tokens_hash_unique UNIQUE (token_hash)
      )
    `);
    await runner.query('CREATE INDEX scim_tokens_by_connection ON scim_tokens (connection_id)');
    await runner.query(`
      CREATE TABLE scim_users (
        id            text        PRIMARY KEY CHECK (id LIKE 'scu_%'),
        connection_id text        NOT NULL REFERENCES sso_connections (id) ON DELETE CASCADE,
        org_id        text        NOT NULL REFERENCES organizations (id),
        user_id       text        NOT NULL REFERENCES users (id),
        external_id   text        CHECK (length(external_id) BETWEEN 1 AND 255),
        user_name     text        NOT NULL CHECK (length(user_name) BETWEEN 1 AND 255),
        display_name  text        CHECK (length(display_name) BETWEEN 1 AND 255),
        given_name    text        CHECK (length(given_name) BETWEEN 1 AND 255),
        family_name   text        CHECK (length(family_name) BETWEEN 1 AND 255),
        email         text        CHECK (length(email) BETWEEN 1 AND 254),
        active        boolean     NOT NULL,
        created_at    timestamptz NOT NULL,
        updated_at    timestamptz NOT NULL,
        CONSTRAINT scim_users_of_connection UNIQUE (connection_id, id),
        CONSTRAINT scim_users_account_unique UNIQUE (connection_id, user_id),
        CONSTRAINT scim_users_external_id_unique UNIQUE (connection_id, external_id)
      )
    `);
    await runner.query(
      'CREATE UNIQUE INDEX scim_users_user_name_unique ON scim_users (connection_id, lower(user_name))',
    );
    await runner.query('CREATE INDEX scim_users_by_email ON scim_users (connection_id, lower(email))');
    await runner.query('CREATE INDEX scim_users_by_account ON scim_users (org_id, user_id)');
    await runner.query(`
      CREATE TABLE scim_groups (
        id            text        PRIMARY KEY CHECK (id LIKE 'scg_%'),
        connection_id text        NOT NULL REFERENCES sso_connections (id) ON DELETE CASCADE,
        external_id   text        CHECK (length(external_id) BETWEEN 1 AND 255),
        display_name  text        NOT NULL CHECK (length(display_name) BETWEEN 1 AND 255),
        created_at    timestamptz NOT NULL,
        updated_at    timestamptz NOT NULL,
        CONSTRAINT scim_groups_of_connection UNIQUE (connection_id, id),
        CONSTRAINT scim_groups_external_id_unique UNIQUE (connection_id, external_id)
      )
    `);
    await runner.query(
      'CREATE UNIQUE INDEX scim_groups_display_name_unique ON scim_groups (connection_id, lower(display_name))',
    );
    // Both references name the connection, so that no group has a member of another one.
    await runner.query(`
      CREATE TABLE scim_group_members (
        connection_id text NOT NULL,
        group_id      text NOT NULL,
        scim_user_id  text NOT NULL,
        PRIMARY KEY (group_id, scim_user_id),
        CONSTRAINT scim_group_members_group FOREIGN KEY (connection_id, group_id)
          REFERENCES scim_groups (connection_id, id) ON DELETE CASCADE,
        CONSTRAINT scim_group_members_user FOREIGN KEY (connection_id, scim_user_id)
          REFERENCES scim_users (connection_id, id) ON DELETE CASCADE
      )
    `);
    await runner.query('CREATE INDEX scim_group_members_by_user ON scim_group_members (scim_user_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['scim_group_members', 'scim_groups', 'scim_users', 'scim_tokens', 'sso_provisioned_people'])
      await runner.query(`DROP TABLE ${table}`);
  }
}
