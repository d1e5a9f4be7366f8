import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Expand only. The previous release finds no account by the name or the address of a deleted one, as both are replaced
 * in its row, which stays for what refers to it.
 */
export class CreateAccountDeletions1795293491000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE users ADD COLUMN deleted_at timestamptz');
    await runner.query(`
      CREATE TABLE account_deletions (
        user_id      text        PRIMARY KEY REFERENCES users (id),
        username     text,
        email        text,
        requested_at timestamptz NOT NULL,
        completed_at timestamptz,
        CONSTRAINT account_deletions_names_until_completed
          CHECK (completed_at IS NULL OR (username IS NULL AND email IS NULL))
      )
    `);
    await runner.query(
      'CREATE INDEX account_deletions_in_progress ON account_deletions (requested_at) WHERE completed_at IS NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE account_deletions');
    await runner.query('ALTER TABLE users DROP COLUMN deleted_at');
  }
}
