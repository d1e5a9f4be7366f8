import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A key keeps its id through every rotation; each secret that it ever had stays as a row, so that an old one is told
 * that it was rotated and not that it is unknown.
 */
export class CreateApiKeys1795252120000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE api_keys (
        id           text        PRIMARY KEY CHECK (id LIKE 'key_%'),
        user_id      text        NOT NULL REFERENCES users (id),
        home_org_id  text        NOT NULL REFERENCES organizations (id),
        kind         text        NOT NULL CHECK (kind IN ('personal', 'select_orgs', 'org_bound')),
        name         text        NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
        scopes       text[]      NOT NULL CHECK (cardinality(scopes) > 0),
        org_ids      text[]      NOT NULL,
        allowed_ips  text[]      NOT NULL,
        expires_at   timestamptz,
        revoked_at   timestamptz,
        last_used_at timestamptz,
        last_used_ip text,
        created_at   timestamptz NOT NULL,
        updated_at   timestamptz NOT NULL,
        CONSTRAINT api_keys_orgs_by_kind CHECK (CASE kind
          WHEN 'personal' THEN cardinality(org_ids) = 0
          WHEN 'org_bound' THEN org_ids = ARRAY[home_org_id]
          ELSE cardinality(org_ids) > 0 END)
      )
    `);
    await runner.query('CREATE INDEX api_keys_by_user ON api_keys (user_id, id DESC)');
    await runner.query(`CREATE INDEX api_keys_by_org ON api_keys USING gin (org_ids)`);
    await runner.query(`
      CREATE TABLE api_key_secrets (
        id             text        PRIMARY KEY CHECK (id LIKE 'sec_%'),
        key_id         text        NOT NULL REFERENCES api_keys (id),
        hash           bytea       NOT NULL UNIQUE,
        pepper_version integer     NOT NULL,
        last4          text        NOT NULL,
        created_at     timestamptz NOT NULL,
        rotated_at     timestamptz,
        works_until    timestamptz,
        CONSTRAINT api_key_secrets_grace CHECK ((rotated_at IS NULL) = (works_until IS NULL))
      )
    `);
    await runner.query(
      'CREATE UNIQUE INDEX api_key_secrets_current_unique ON api_key_secrets (key_id) WHERE rotated_at IS NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE api_key_secrets');
    await runner.query('DROP TABLE api_keys');
  }
}
