import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release writes none of the new reasons. */
export class EndGrantsByOrganization1795293400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE oauth_grants DROP CONSTRAINT oauth_grants_end_reason,
        ADD CONSTRAINT oauth_grants_end_reason
          CHECK (end_reason IN ('ended', 'idle', 'reuse', 'client', 'key', 'organization'))
    `);
    // For lists of the grants that reach an organization.
    await runner.query(`
      CREATE INDEX api_keys_granted ON api_keys USING gin (org_ids) WHERE source = 'oauth' AND revoked_at IS NULL
    `);
    await runner.query('CREATE INDEX oauth_grants_by_key ON oauth_grants (key_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX oauth_grants_by_key');
    await runner.query('DROP INDEX api_keys_granted');
    await runner.query("UPDATE oauth_grants SET end_reason = 'ended' WHERE end_reason = 'organization'");
    await runner.query(`
      ALTER TABLE oauth_grants DROP CONSTRAINT oauth_grants_end_reason,
        ADD CONSTRAINT oauth_grants_end_reason CHECK (end_reason IN ('ended', 'idle', 'reuse', 'client', 'key'))
    `);
  }
}
