import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know these tables and keeps working beside them. */
export class CreatePeopleAndOrganizations1795252000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // `auth_epoch` rises with every change of what the credentials of a person, or the members of an organization, may
    // do; processes compare it with the one they remember (docs/decisions/0016-auth-epochs.md).
    await runner.query(`
      CREATE TABLE users (
        id                text        PRIMARY KEY CHECK (id LIKE 'usr_%'),
        username          text        NOT NULL
          CHECK (username ~ '^[a-z0-9](-?[a-z0-9])*$' AND length(username) BETWEEN 2 AND 39),
        email             text        NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
        email_verified_at timestamptz,
        password_hash     text        NOT NULL,
        auth_epoch        bigint      NOT NULL DEFAULT 0,
        created_at        timestamptz NOT NULL,
        updated_at        timestamptz NOT NULL
      )
    `);
    await runner.query('CREATE UNIQUE INDEX users_username_unique ON users (username)');
    await runner.query('CREATE UNIQUE INDEX users_email_unique ON users (lower(email))');
    await runner.query(`
      CREATE TABLE organizations (
        id          text        PRIMARY KEY CHECK (id LIKE 'org_%'),
        slug        text        NOT NULL CHECK (slug ~ '^[a-z0-9](-?[a-z0-9])*$' AND length(slug) BETWEEN 2 AND 39),
        name        text        NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
        plan        text        NOT NULL CHECK (plan IN ('free', 'builder', 'pro', 'enterprise')),
        personal_of text        UNIQUE REFERENCES users (id),
        auth_epoch  bigint      NOT NULL DEFAULT 0,
        created_at  timestamptz NOT NULL,
        updated_at  timestamptz NOT NULL,
        deleted_at  timestamptz
      )
    `);
    await runner.query(
      'CREATE UNIQUE INDEX organizations_slug_unique ON organizations (slug) WHERE deleted_at IS NULL',
    );
    await runner.query(`
      CREATE TABLE memberships (
        org_id     text        NOT NULL REFERENCES organizations (id),
        user_id    text        NOT NULL REFERENCES users (id),
        role       text        NOT NULL CHECK (role IN ('owner', 'admin', 'member', 'viewer')),
        created_at timestamptz NOT NULL,
        PRIMARY KEY (org_id, user_id)
      )
    `);
    await runner.query('CREATE INDEX memberships_by_user ON memberships (user_id)');
    await runner.query(`
      CREATE TABLE invitations (
        id          text        PRIMARY KEY CHECK (id LIKE 'inv_%'),
        org_id      text        NOT NULL REFERENCES organizations (id),
        email       text        NOT NULL,
        role        text        NOT NULL CHECK (role IN ('owner', 'admin', 'member', 'viewer')),
        token_hash  bytea       UNIQUE,
        invited_by  text        NOT NULL REFERENCES users (id),
        created_at  timestamptz NOT NULL,
        expires_at  timestamptz NOT NULL,
        accepted_at timestamptz,
        revoked_at  timestamptz
      )
    `);
    await runner.query(`
      CREATE UNIQUE INDEX invitations_open_unique ON invitations (org_id, lower(email))
      WHERE accepted_at IS NULL AND revoked_at IS NULL
    `);
    await runner.query(`
      CREATE TABLE sessions (
        id           text        PRIMARY KEY CHECK (id LIKE 'ses_%'),
        user_id      text        NOT NULL REFERENCES users (id),
        token_hash   bytea       NOT NULL UNIQUE,
        rotated_from bytea[]     NOT NULL DEFAULT '{}',
        ip           text        NOT NULL,
        user_agent   text,
        created_at   timestamptz NOT NULL,
        last_used_at timestamptz NOT NULL,
        expires_at   timestamptz NOT NULL,
        ended_at     timestamptz
      )
    `);
    await runner.query('CREATE INDEX sessions_by_user ON sessions (user_id) WHERE ended_at IS NULL');
    await runner.query('CREATE INDEX sessions_by_rotated_token ON sessions USING gin (rotated_from)');
    await runner.query(`
      CREATE TABLE email_tokens (
        id         text        PRIMARY KEY CHECK (id LIKE 'tok_%'),
        user_id    text        NOT NULL REFERENCES users (id),
        purpose    text        NOT NULL CHECK (purpose IN ('verify_email', 'reset_password')),
        email      text        NOT NULL,
        token_hash bytea       NOT NULL UNIQUE,
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        used_at    timestamptz
      )
    `);
    await runner.query('CREATE INDEX email_tokens_by_user ON email_tokens (user_id, purpose)');
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['email_tokens', 'sessions', 'invitations', 'memberships', 'organizations', 'users']) {
      await runner.query(`DROP TABLE ${table}`);
    }
  }
}
