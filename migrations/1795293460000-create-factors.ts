import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Expand only. The previous release signs people in without asking for a second factor: a rolling upgrade ends before
 * the first person can set one up with the new one.
 */
export class CreateFactors1795293460000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE users ADD COLUMN second_factor boolean NOT NULL DEFAULT false');
    await runner.query(`
      CREATE TABLE totp_secrets (
        id           text        PRIMARY KEY CHECK (id LIKE 'fac_%'),
        user_id      text        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        secret       bytea       NOT NULL,
        last_step    bigint      NOT NULL DEFAULT 0,
        created_at   timestamptz NOT NULL,
        confirmed_at timestamptz,
        last_used_at timestamptz
      )
    `);
    await runner.query(
      'CREATE UNIQUE INDEX totp_secrets_in_use ON totp_secrets (user_id) WHERE confirmed_at IS NOT NULL',
    );
    await runner.query('CREATE UNIQUE INDEX totp_secrets_pending ON totp_secrets (user_id) WHERE confirmed_at IS NULL');
    await runner.query(`
      CREATE TABLE recovery_codes (
        user_id   text  NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        code_hash bytea NOT NULL,
        CONSTRAINT recovery_codes_pkey PRIMARY KEY (user_id, code_hash)
      )
    `);
    await runner.query(`
      CREATE TABLE passkeys (
        id            text        PRIMARY KEY CHECK (id LIKE 'fac_%'),
        user_id       text        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        credential_id text        NOT NULL CHECK (length(credential_id) BETWEEN 1 AND 1400),
        public_key    bytea       NOT NULL,
        counter       bigint      NOT NULL,
        transports    text[]      NOT NULL,
        backed_up     boolean     NOT NULL,
        name          text        NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
        created_at    timestamptz NOT NULL,
        last_used_at  timestamptz,
        CONSTRAINT passkeys_credential_id_unique UNIQUE (credential_id)
      )
    `);
    await runner.query('CREATE INDEX passkeys_by_user ON passkeys (user_id)');
    await runner.query(`
      CREATE TABLE spent_challenges (
        challenge  bytea       PRIMARY KEY,
        expires_at timestamptz NOT NULL
      )
    `);
    await runner.query('CREATE INDEX spent_challenges_expired ON spent_challenges (expires_at)');
    await runner.query(`
      CREATE TABLE factor_recoveries (
        user_id      text        PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
        ip           text        NOT NULL,
        requested_at timestamptz NOT NULL,
        due_at       timestamptz NOT NULL,
        reminded_at  timestamptz
      )
    `);
    await runner.query('CREATE INDEX factor_recoveries_due ON factor_recoveries (due_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['factor_recoveries', 'spent_challenges', 'passkeys', 'recovery_codes', 'totp_secrets'])
      await runner.query(`DROP TABLE ${table}`);
    await runner.query('ALTER TABLE users DROP COLUMN second_factor');
  }
}
