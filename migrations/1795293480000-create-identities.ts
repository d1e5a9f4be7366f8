import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Expand only. The previous release signs in with passwords alone, as the defaults say. It knows no account without a
 * password: while both run, a reset that it answers leaves `has_password` false, which only keeps the last identity.
 */
export class CreateIdentities1795293480000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE users ADD COLUMN has_password boolean NOT NULL DEFAULT true');
    await runner.query(`
      ALTER TABLE sessions DROP CONSTRAINT sessions_methods,
        ADD CONSTRAINT sessions_methods
          CHECK (methods <@ '{password,github,google,totp,passkey,recovery_code}' AND cardinality(methods) > 0)
    `);
    await runner.query(`
      ALTER TABLE sign_in_flows ADD COLUMN method text NOT NULL DEFAULT 'password'
        CONSTRAINT sign_in_flows_method CHECK (method IN ('password', 'github', 'google'))
    `);
    await runner.query(`
      CREATE TABLE identities (
        id           text        PRIMARY KEY CHECK (id LIKE 'idn_%'),
        user_id      text        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        provider     text        NOT NULL CHECK (provider IN ('github', 'google')),
        issuer       text        NOT NULL CHECK (length(issuer) BETWEEN 1 AND 500),
        subject      text        NOT NULL CHECK (length(subject) BETWEEN 1 AND 255),
        name         text        NOT NULL CHECK (length(name) BETWEEN 1 AND 254),
        created_at   timestamptz NOT NULL,
        last_used_at timestamptz,
        CONSTRAINT identities_subject_unique UNIQUE (provider, issuer, subject),
        CONSTRAINT identities_provider_unique UNIQUE (user_id, provider)
      )
    `);
    await runner.query(`
      CREATE TABLE external_sign_ins (
        id              text        PRIMARY KEY CHECK (id LIKE 'xsi_%'),
        provider        text        NOT NULL CHECK (provider IN ('github', 'google')),
        user_id         text        REFERENCES users (id) ON DELETE CASCADE,
        return_to       text        NOT NULL CHECK (length(return_to) BETWEEN 1 AND 1000),
        challenge       text        NOT NULL CHECK (length(challenge) = 43),
        created_at      timestamptz NOT NULL,
        expires_at      timestamptz NOT NULL,
        browser_hash    bytea,
        state_hash      bytea,
        nonce           text,
        verifier        text,
        answered_at     timestamptz,
        identity        jsonb,
        refusal         text        CHECK (length(refusal) BETWEEN 1 AND 50),
        code_hash       bytea,
        code_expires_at timestamptz,
        CONSTRAINT external_sign_ins_state_hash_unique UNIQUE (state_hash),
        CONSTRAINT external_sign_ins_code_hash_unique UNIQUE (code_hash),
        CONSTRAINT external_sign_ins_started CHECK (
          (browser_hash IS NULL) = (state_hash IS NULL)
          AND (browser_hash IS NULL) = (nonce IS NULL) AND (browser_hash IS NULL) = (verifier IS NULL)
        ),
        CONSTRAINT external_sign_ins_answered CHECK (
          (answered_at IS NULL OR browser_hash IS NOT NULL)
          AND (identity IS NULL OR answered_at IS NOT NULL)
          AND (refusal IS NULL OR (answered_at IS NOT NULL AND identity IS NULL))
          AND (code_hash IS NULL OR identity IS NOT NULL)
          AND (code_hash IS NULL) = (code_expires_at IS NULL)
        )
      )
    `);
    await runner.query('CREATE INDEX external_sign_ins_by_user ON external_sign_ins (user_id)');
    await runner.query('CREATE INDEX external_sign_ins_expired ON external_sign_ins (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE external_sign_ins');
    await runner.query('DROP TABLE identities');
    await runner.query('ALTER TABLE sign_in_flows DROP COLUMN method');
    // The previous constraint knows no session that a provider opened.
    await runner.query("DELETE FROM sessions WHERE methods && '{github,google}'");
    await runner.query(`
      ALTER TABLE sessions DROP CONSTRAINT sessions_methods,
        ADD CONSTRAINT sessions_methods
          CHECK (methods <@ '{password,totp,passkey,recovery_code}' AND cardinality(methods) > 0)
    `);
    await runner.query('ALTER TABLE users DROP COLUMN has_password');
  }
}
