import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: keys of the previous release are made by callers of the API. */
export class AddKeySource1795293320000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE api_keys ADD COLUMN source text NOT NULL DEFAULT 'api',
        ADD CONSTRAINT api_keys_source CHECK (source = 'api' OR source = 'oauth' AND kind = 'select_orgs')
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    // The previous release expects a secret of every key.
    await runner.query("DELETE FROM api_keys WHERE source = 'oauth'");
    await runner.query('ALTER TABLE api_keys DROP COLUMN source');
  }
}
