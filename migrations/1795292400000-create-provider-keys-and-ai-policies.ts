import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release charges every generation to the credits, and knows no policies. */
export class CreateProviderKeysAndAiPolicies1795292400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Keys of organizations for the routers, sealed by SECRETS_KEY.
    await runner.query(`
      CREATE TABLE provider_keys (
        org_id text        NOT NULL REFERENCES organizations (id),
        router text        NOT NULL CHECK (length(router) BETWEEN 1 AND 32),
        sealed bytea       NOT NULL,
        last4  text        NOT NULL CHECK (length(last4) = 4),
        set_by text        NOT NULL REFERENCES users (id),
        set_at timestamptz NOT NULL,
        PRIMARY KEY (org_id, router)
      )
    `);
    // What organizations allow their own calls. Without a row, everything is allowed and no text is kept.
    await runner.query(`
      CREATE TABLE ai_policies (
        org_id              text        PRIMARY KEY REFERENCES organizations (id),
        -- Null means all.
        allowed_models      text[],
        denied_models       text[]      NOT NULL,
        zero_retention_only boolean     NOT NULL,
        blocks_secrets      boolean     NOT NULL,
        -- How long texts are kept. Null means not at all.
        retention_days      smallint    CONSTRAINT ai_policies_retention_days CHECK (retention_days BETWEEN 1 AND 30),
        updated_at          timestamptz NOT NULL
      )
    `);
    for (const table of ['generations', 'generation_starts']) {
      await runner.query(`
        ALTER TABLE ${table} ADD COLUMN billed_to text NOT NULL DEFAULT 'credits'
          CONSTRAINT ${table}_billed_to CHECK (billed_to IN ('credits', 'organization'))
      `);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['generations', 'generation_starts'])
      await runner.query(`ALTER TABLE ${table} DROP COLUMN billed_to`);
    for (const table of ['ai_policies', 'provider_keys']) await runner.query(`DROP TABLE ${table}`);
  }
}
