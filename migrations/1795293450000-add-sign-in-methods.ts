import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Expand only: the previous release opens sessions with a password alone and just now, as the defaults say, and knows
 * no sign-in of two steps.
 */
export class AddSignInMethods1795293450000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE sessions
        ADD COLUMN methods text[] NOT NULL DEFAULT '{password}',
        ADD COLUMN authenticated_at timestamptz NOT NULL DEFAULT now(),
        ADD CONSTRAINT sessions_methods
          CHECK (methods <@ '{password,totp,passkey,recovery_code}' AND cardinality(methods) > 0)
    `);
    await runner.query('UPDATE sessions SET authenticated_at = created_at');
    await runner.query(`
      CREATE TABLE sign_in_flows (
        id         text        PRIMARY KEY CHECK (id LIKE 'flow_%'),
        user_id    text        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        token_hash bytea       NOT NULL,
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        CONSTRAINT sign_in_flows_token_hash_unique UNIQUE (token_hash)
      )
    `);
    await runner.query('CREATE INDEX sign_in_flows_by_user ON sign_in_flows (user_id)');
    await runner.query('CREATE INDEX sign_in_flows_expired ON sign_in_flows (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE sign_in_flows');
    await runner.query('ALTER TABLE sessions DROP COLUMN methods, DROP COLUMN authenticated_at');
  }
}
