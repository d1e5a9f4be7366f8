import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Links that the API signs need an access key: one for each person, or for each API key of a person, so that links end
 * with the permissions of who made them. Its secret is never shown.
 */
export class AddLinkKeys1795293261000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE storage_access_keys ADD COLUMN for_links boolean NOT NULL DEFAULT false');
    await runner.query(`
      CREATE UNIQUE INDEX storage_access_keys_for_links
      ON storage_access_keys (org_id, created_by, (coalesce(created_key_id, ''))) WHERE for_links
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM storage_access_keys WHERE for_links');
    await runner.query('ALTER TABLE storage_access_keys DROP COLUMN for_links');
  }
}
