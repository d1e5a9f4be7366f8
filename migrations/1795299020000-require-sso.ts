import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Expand only. The previous release opens no session through a connection, and no organization requires one before
 * an owner switches it on.
 */
export class RequireSso1795299020000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE sessions DROP CONSTRAINT sessions_methods,
        ADD COLUMN connection_id text,
        ADD COLUMN signed_in_at timestamptz NOT NULL DEFAULT now(),
        ADD CONSTRAINT sessions_methods
          CHECK (methods <@ '{password,github,google,sso,totp,passkey,recovery_code}' AND cardinality(methods) > 0),
        ADD CONSTRAINT sessions_connection CHECK ((connection_id IS NOT NULL) = ('sso' = ANY (methods)))
    `);
    await runner.query('UPDATE sessions SET signed_in_at = created_at');
    await runner.query(`
      CREATE INDEX sessions_by_connection ON sessions (connection_id)
      WHERE connection_id IS NOT NULL AND ended_at IS NULL
    `);
    await runner.query(`
      ALTER TABLE sign_in_flows DROP CONSTRAINT sign_in_flows_method,
        ADD COLUMN connection_id text,
        ADD CONSTRAINT sign_in_flows_method CHECK (method IN ('password', 'github', 'google', 'sso')),
        ADD CONSTRAINT sign_in_flows_connection CHECK ((connection_id IS NOT NULL) = (method = 'sso'))
    `);
    await runner.query(`
      ALTER TABLE identities DROP CONSTRAINT identities_provider_check, DROP CONSTRAINT identities_provider_unique,
        ADD CONSTRAINT identities_provider_check CHECK (provider IN ('github', 'google', 'sso'))
    `);
    // A connection is the issuer of its identities, and a person has one of each issuer.
    await runner.query(`
      CREATE UNIQUE INDEX identities_provider_unique ON identities (user_id, provider) WHERE provider <> 'sso'
    `);
    await runner.query(`
      CREATE UNIQUE INDEX identities_connection_unique ON identities (user_id, issuer) WHERE provider = 'sso'
    `);
    await runner.query(`
      ALTER TABLE external_sign_ins DROP CONSTRAINT external_sign_ins_provider_check,
        ADD COLUMN connection_id text,
        ADD CONSTRAINT external_sign_ins_provider_check CHECK (provider IN ('github', 'google', 'sso')),
        ADD CONSTRAINT external_sign_ins_connection CHECK ((connection_id IS NOT NULL) = (provider = 'sso'))
    `);
    await runner.query(`
      ALTER TABLE organizations
        ADD COLUMN sso_connections text[] NOT NULL DEFAULT '{}',
        ADD COLUMN sso_required boolean NOT NULL DEFAULT false,
        ADD COLUMN sso_session_hours int NOT NULL DEFAULT 12 CHECK (sso_session_hours BETWEEN 1 AND 720),
        ADD COLUMN sso_exempt_owners text[] NOT NULL DEFAULT '{}' CHECK (cardinality(sso_exempt_owners) <= 2),
        ADD CONSTRAINT organizations_sso CHECK (
          (NOT sso_required OR cardinality(sso_connections) > 0)
          AND (personal_of IS NULL OR cardinality(sso_connections) = 0)
        )
    `);
    await runner.query("ALTER TABLE api_keys ADD COLUMN sso_orgs text[] NOT NULL DEFAULT '{}'");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys DROP COLUMN sso_orgs');
    await runner.query(`
      ALTER TABLE organizations DROP CONSTRAINT organizations_sso, DROP COLUMN sso_connections,
        DROP COLUMN sso_required, DROP COLUMN sso_session_hours, DROP COLUMN sso_exempt_owners
    `);
    // The previous constraints know nothing that a connection opened.
    await runner.query("DELETE FROM external_sign_ins WHERE provider = 'sso'");
    await runner.query(`
      ALTER TABLE external_sign_ins DROP CONSTRAINT external_sign_ins_provider_check, DROP COLUMN connection_id,
        ADD CONSTRAINT external_sign_ins_provider_check CHECK (provider IN ('github', 'google'))
    `);
    await runner.query("DELETE FROM identities WHERE provider = 'sso'");
    await runner.query('DROP INDEX identities_provider_unique');
    await runner.query('DROP INDEX identities_connection_unique');
    await runner.query(`
      ALTER TABLE identities DROP CONSTRAINT identities_provider_check,
        ADD CONSTRAINT identities_provider_check CHECK (provider IN ('github', 'google')),
        ADD CONSTRAINT identities_provider_unique UNIQUE (user_id, provider)
    `);
    await runner.query("DELETE FROM sign_in_flows WHERE method = 'sso'");
    await runner.query(`
      ALTER TABLE sign_in_flows DROP CONSTRAINT sign_in_flows_method, DROP COLUMN connection_id,
        ADD CONSTRAINT sign_in_flows_method CHECK (method IN ('password', 'github', 'google'))
    `);
    await runner.query("DELETE FROM sessions WHERE 'sso' = ANY (methods)");
    await runner.query(`
      ALTER TABLE sessions DROP CONSTRAINT sessions_methods, DROP COLUMN connection_id, DROP COLUMN signed_in_at,
        ADD CONSTRAINT sessions_methods
          CHECK (methods <@ '{password,github,google,totp,passkey,recovery_code}' AND cardinality(methods) > 0)
    `);
  }
}
