import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What people granted to OAuth clients, the short-lived state of the flow, and the keys that sign access tokens. */
export class CreateOAuth1795293330000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE oauth_grants (
        id            text        PRIMARY KEY CHECK (id LIKE 'grt_%'),
        user_id       text        NOT NULL REFERENCES users (id),
        home_org_id   text        NOT NULL,
        key_id        text        NOT NULL,
        way           text        NOT NULL,
        client_id     text        NOT NULL CHECK (length(client_id) <= 4000),
        client_name   text        NOT NULL CHECK (length(client_name) BETWEEN 1 AND 100),
        client_host   text,
        redirect_host text        NOT NULL,
        scopes        text[]      NOT NULL CHECK (cardinality(scopes) > 0),
        refused       text[]      NOT NULL,
        created_at    timestamptz NOT NULL,
        used_at       timestamptz NOT NULL,
        expires_at    timestamptz NOT NULL,
        ended_at      timestamptz,
        end_reason    text,
        CONSTRAINT oauth_grants_way CHECK (way IN ('metadata', 'registration')),
        CONSTRAINT oauth_grants_end CHECK ((ended_at IS NULL) = (end_reason IS NULL)),
        CONSTRAINT oauth_grants_end_reason CHECK (end_reason IN ('ended', 'idle', 'reuse', 'client', 'key'))
      )
    `);
    await runner.query('CREATE INDEX oauth_grants_by_user ON oauth_grants (user_id, id DESC)');
    await runner.query('CREATE INDEX oauth_grants_idle ON oauth_grants (expires_at) WHERE ended_at IS NULL');
    await runner.query('CREATE INDEX oauth_grants_over ON oauth_grants (ended_at) WHERE ended_at IS NOT NULL');
    await runner.query(`
      CREATE TABLE oauth_records (
        id_hash     bytea       PRIMARY KEY,
        model       text        NOT NULL,
        grant_id    text,
        payload     jsonb       NOT NULL,
        consumed_at timestamptz,
        expires_at  timestamptz NOT NULL,
        CONSTRAINT oauth_records_model CHECK (model IN ('AuthorizationCode', 'Interaction', 'RefreshToken'))
      )
    `);
    await runner.query('CREATE INDEX oauth_records_by_grant ON oauth_records (grant_id) WHERE grant_id IS NOT NULL');
    await runner.query('CREATE INDEX oauth_records_expired ON oauth_records (expires_at)');
    await runner.query(`
      CREATE TABLE oauth_signing_keys (
        id          text        PRIMARY KEY CHECK (id LIKE 'osk_%'),
        public_jwk  jsonb       NOT NULL,
        private_key bytea       NOT NULL,
        created_at  timestamptz NOT NULL
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE oauth_signing_keys');
    await runner.query('DROP TABLE oauth_records');
    await runner.query('DROP TABLE oauth_grants');
  }
}
